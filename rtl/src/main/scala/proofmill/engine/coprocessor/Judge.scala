package proofmill.engine.coprocessor

import spinal.core._
import spinal.lib._

/** An instruction, what its operands are, and what can be said against it without their values.
  *
  *   1. `take`: the instruction; which one it is and what its operands say stand in registers from then on.
  *   2. `look`: the types of its operands, and so their shapes.
  *   3. Two cycles later: `fault`, the first one; `faultless` otherwise.
  */
class Judge extends Component {
  import InstructionSet.{kind => _, _}
  val io = new Bundle {
    val take = slave(Flow(Bits(Instructions.bits bits)))
    val look = in(Bool())
    val beyondData, beyondInstructions = in(Bits(Judge.operandBits bits)) // the bits that numbers of slots do not have
    val kinds = in(Vec.fill(2)(Bits(3 bits))) // of slots a and b
    val operands = out(Vec.fill(3)(UInt(Judge.operandBits bits)))
    val is = out(Bits(opcodes.size bits)) // in the order of `opcodes`
    val arithmetic = out(Bool()) // 0x10 and above
    val arePoints, areElements = out(Vec.fill(2)(Bool()))
    val looked = out(Vec.fill(2)(Bits(3 bits)))
    val shapes = out(Vec.fill(3)(ShapeOf()))
    val faults = out(Bits(Judge.order.size bits)) // in the order of `Judge.order`
  }
  private val instruction = RegNextWhen(io.take.payload, io.take.valid)
  private val operands = (0 until 3).map(i => instruction(8 + Judge.operandBits * i, Judge.operandBits bits).asUInt)

  // Which instruction: found out as it comes.
  private val opcode = io.take.payload.takeLow(8)
  private def taken[T <: Data](value: T): T = RegNextWhen(value, io.take.valid)
  private val is = opcodes.map(o => taken(opcode === o.number))
  private val theRoles = (0 until 3).map { operand =>
    taken(opcodes.foldLeft(U(0, 4 bits)) { (otherwise, o) =>
      (opcode === o.number) ? U(roles.indexOf(o.roles(operand)), 4 bits) | otherwise
    })
  }
  private def hasRole(operand: Int, names: String*): Bool =
    names.map(name => theRoles(operand) === roles.indexOf(name)).reduce(_ || _)

  // What its operands are.
  private val table = Vec(roles.flatMap(r => kinds.map(k => ShapeOf.literal(shape(r, k)))))
  private def shapeOf(operand: Int, kind: Bits) = ShapeOf.of(table((theRoles(operand) @@ kind.asUInt).resized))
  private val Seq(a, b) = io.kinds.toSeq
  private val shapes = Seq(
    shapeOf(0, a),
    shapeOf(1, hasRole(1, "element", "to element", "to affine") ? a | b),
    shapeOf(2, hasRole(2, "to element") ? a | b)
  ).map(RegNextWhen(_, io.look))
  private val points = (0 until 2).map(i => hasRole(i, "g1", "g2", "point"))

  // Its faults.
  private val isSlot = (0 until 3).map(i => theRoles(i) =/= 0 && !hasRole(i, "index", "target"))
  private def above(i: Int, beyond: Bits) = (operands(i).asBits & beyond).orR
  private def any(of: Int => Bool): Bool = (0 until 3).map(of).reduce(_ || _)
  private val faults = Map(
    "unknown_opcode" -> !is.orR,
    "no_such_slot" -> any(i =>
      isSlot(i) && above(i, io.beyondData) || hasRole(i, "target") && above(i, io.beyondInstructions)
    ),
    "wrong_type" -> (any(i => !shapes(i).legal) ||
      is(opcodes.indexOf(InstructionSet.opcode("point_add"))) && shapes(0).second =/= shapes(1).second),
    "beyond_end" -> any(i =>
      isSlot(i) && ((operands(i) +^ (shapes(i).slots - 1)).asBits & (True ## io.beyondData)).orR
    )
  )

  io.operands := Vec(operands)
  io.is := Cat(is)
  io.arithmetic := taken(opcode.asUInt >= 0x10)
  io.arePoints := Vec(points)
  io.areElements := Vec((0 until 2).map(i => hasRole(i, "element", "fp12", "lines") || points(i)))
  io.looked := RegNextWhen(io.kinds, io.look)
  io.shapes := Vec(shapes)
  io.faults := Cat(Judge.order.map(name => RegNext(faults(name))))
}

object Judge {
  val operandBits = 16

  /** The first one of an instruction's is its error. */
  val order: Seq[String] = Seq("unknown_opcode", "no_such_slot", "wrong_type", "beyond_end")
}
