package proofmill.engine.coprocessor

import spinal.core._
import spinal.lib._

/** Decodes an instruction and finds the faults that do not depend on the values of its operands.
  *
  *   1. `instruction`: registered; the opcode and the roles of the operands are decoded from it.
  *   2. `readTypes`: the types of slots a and b give the shapes of the operands.
  *   3. Two cycles later: `faults`.
  */
class InstructionChecker extends Component {
  import InstructionSet.{types => slotTypes, _}
  val io = new Bundle {

    /** The instruction, one pulse; what is decoded from it is valid from the next cycle on. */
    val instruction = slave(Flow(Bits(Instructions.bits bits)))
    val operands = out(Vec.fill(3)(UInt(InstructionChecker.operandBits bits))) // fields a, b, c: slot, index or target
    val isOpcode = out(Bits(opcodes.size bits)) // a bit per opcode, in the order of `opcodes`
    val arithmetic = out(Bool()) // 0x10 and above
    val arePoints, areElements = out(Vec.fill(2)(Bool())) // of operands a and b

    /** Pulse: `types` are those of slots a and b. What follows from them is valid from the next cycle on. */
    val readTypes = in(Bool())
    val types = in(Vec.fill(2)(Bits(3 bits))) // the types of slots a and b, valid with `readTypes`
    val operandTypes = out(Vec.fill(2)(Bits(3 bits))) // these types, registered
    val shapes = out(Vec.fill(3)(ShapeOf())) // of a, b and c by opcode and types: slots, legality, coordinates

    /** Levels: the bits that numbers of slots do not have. */
    val beyondData, beyondInstructions = in(Bits(InstructionChecker.operandBits bits))

    /** A bit per fault, in the order of `InstructionChecker.order`; valid two cycles after `readTypes`. */
    val faults = out(Bits(InstructionChecker.order.size bits))
  }
  private val instruction = RegNextWhen(io.instruction.payload, io.instruction.valid)
  private val operands =
    (0 until 3).map(i =>
      instruction(8 + InstructionChecker.operandBits * i, InstructionChecker.operandBits bits).asUInt
    )

  // 1. The opcode and its roles.
  private val opcode = io.instruction.payload.takeLow(8)
  private def decoded[T <: Data](value: T): T = RegNextWhen(value, io.instruction.valid)
  private val isOpcode = opcodes.map(o => decoded(opcode === o.number))
  private val operandRoles = (0 until 3).map { operand =>
    decoded(opcodes.foldLeft(U(0, 4 bits)) { (otherwise, o) =>
      (opcode === o.number) ? U(roles.indexOf(o.roles(operand)), 4 bits) | otherwise
    })
  }
  private def hasRole(operand: Int, names: String*): Bool =
    names.map(name => operandRoles(operand) === roles.indexOf(name)).reduce(_ || _)

  // 2. The shapes of the operands.
  private val table = Vec(roles.flatMap(r => slotTypes.map(t => ShapeOf.literal(shape(r, t)))))
  private def shapeOf(operand: Int, slotType: Bits) =
    ShapeOf.of(table((operandRoles(operand) @@ slotType.asUInt).resized))
  private val Seq(a, b) = io.types.toSeq
  private val shapes = Seq(
    shapeOf(0, a),
    shapeOf(1, hasRole(1, "element", "to element", "to affine") ? a | b),
    shapeOf(2, hasRole(2, "to element") ? a | b)
  ).map(RegNextWhen(_, io.readTypes))
  private val points = (0 until 2).map(i => hasRole(i, "g1", "g2", "point"))

  // 3. The faults.
  private val isSlot = (0 until 3).map(i => operandRoles(i) =/= 0 && !hasRole(i, "index", "target"))
  private def above(i: Int, beyond: Bits) = (operands(i).asBits & beyond).orR
  private def any(of: Int => Bool): Bool = (0 until 3).map(of).reduce(_ || _)
  private val faults = Map(
    "unknown_opcode" -> !isOpcode.orR,
    "no_such_slot" -> any(i =>
      isSlot(i) && above(i, io.beyondData) || hasRole(i, "target") && above(i, io.beyondInstructions)
    ),
    "wrong_type" -> (any(i => !shapes(i).legal) ||
      isOpcode(opcodes.indexOf(InstructionSet.opcode("point_add"))) && shapes(0).second =/= shapes(1).second),
    "beyond_end" -> any(i =>
      isSlot(i) && ((operands(i) +^ (shapes(i).slots - 1)).asBits & (True ## io.beyondData)).orR
    )
  )

  io.operands := Vec(operands)
  io.isOpcode := Cat(isOpcode)
  io.arithmetic := decoded(opcode.asUInt >= 0x10)
  io.arePoints := Vec(points)
  io.areElements := Vec((0 until 2).map(i => hasRole(i, "element", "fp12", "lines") || points(i)))
  io.operandTypes := RegNextWhen(io.types, io.readTypes)
  io.shapes := Vec(shapes)
  io.faults := Cat(InstructionChecker.order.map(name => RegNext(faults(name))))
}

object InstructionChecker {
  val operandBits = 16

  /** Faults by priority: the first one that an instruction has is its error. */
  val order: Seq[String] = Seq("unknown_opcode", "no_such_slot", "wrong_type", "beyond_end")
}
