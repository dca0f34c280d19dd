package proofmill.curve

import proofmill.arith.{BlockMemory, Timing}
import proofmill.field.{Arithmetic, Bound, FieldInverter, QuadraticInverter}
import spinal.core._
import spinal.lib._
import spinal.lib.fsm._

/** Inverts up to `most` elements other than 0 with one inversion and three multiplications for each of them, on a multiplier
  * outside. An element has all of its components side by side.
  *
  * With L elements there are nodes 1 to 2 L - 1. Element c is node L + c; each node i below L is the product of the nodes 2 i
  * and 2 i + 1. The inverse of node 2 i is the inverse of node i times node 2 i + 1, and the other way round.
  *
  *   1. Idle: accepts the number of elements, which are in their memory by then.
  *   2. Copy: the elements become nodes.
  *   3. Up: the products, i = L - 1, …, 1. A product is requested when both factors have returned; they return in this order.
  *   4. Root: node 1 goes to the inverter.
  *   5. Invert: waits for its inverse.
  *   6. Down: the inverses of the nodes 2, 3, …, 2 L - 1, each when that of its parent has returned.
  *   7. Finish: waits for the last one, and until `done` is accepted.
  */
class InversionTree(arithmetic: Arithmetic, most: Int, multiply: Int, timing: Timing = Timing()) extends Component {
  private val width = arithmetic.components * arithmetic.digits * arithmetic.product.width
  private val placeBits = log2Up(most)
  private val nodeBits = log2Up(2 * most)
  val io = new Bundle {

    /** Elements, at any time: those of the next set may arrive while a set is inverted. */
    val values = slave(Flow(TreeValue(placeBits + 1, width)))
    val start = slave(Stream(InversionStart(placeBits))) // a set whose elements have all arrived

    /** Factors for the multiplier, whose digits are within `InversionTree.factor`; `result` is their product, `multiply` cycles after they are accepted. */
    val factors = master(Stream(Vec(Bits(width bits), 2)))
    val result = in(Bits(width bits)) // of the multiplier, in every cycle

    /** The inverses, each once, at the place of its element. */
    val inverses = master(Flow(TreeValue(placeBits + 1, width)))

    /** All inverses of a set have left. */
    val done = master(Event)
  }

  private val leaves = new BlockMemory(width, placeBits + 1, timing)
  leaves.io.write := io.values.valid
  leaves.io.place := io.values.place
  leaves.io.content := io.values.value
  private val even, odd, inner = Mem(Bits(width bits), 1 << placeBits)

  private val size = Reg(UInt(nodeBits bits)) // L
  private val side = Reg(Bool()) // the half of the memory of elements
  private val index = Reg(UInt(nodeBits bits))
  private val second = Reg(Bool()) // of the two products for a node in Down
  private val returned = Reg(UInt(nodeBits bits)) // the last node whose product, or whose inverse, has returned

  // Requests read the nodes 2 i and 2 i + 1 and the inverse of i in two cycles.
  private val request = Stream(TreeRequest(nodeBits))
  request.valid := False
  request.index := index
  request.target := index
  request.isRoot := False
  request.isInverse := False
  request.isSecond := second
  private val read = request.m2sPipe()
  private def readNow(memory: Mem[Bits]) =
    memory.readSync(request.index.resize(placeBits), request.ready, readUnderWrite = dontCare)
  private val Seq(foundEven, foundOdd, foundInner) = Seq(even, odd, inner).map(readNow)
  private val operands = Stream(TreeOperands(nodeBits, width))
  operands.arbitrationFrom(read)
  operands.target := read.target
  operands.isRoot := read.isRoot
  operands.factors(0) := read.isInverse ? foundInner | foundEven
  operands.factors(1) := (read.isInverse && read.isSecond) ? foundEven | foundOdd
  private val issued = operands.m2sPipe().s2mPipe() // a refused product does not stall the reads in the same cycle

  // The inverter of Fp2 multiplies only while no node does.
  private val norm = Option.when(arithmetic.components == 2)(new QuadraticInverter(arithmetic, multiply))
  private val inverter = norm.getOrElse(new FieldInverter(arithmetic))
  inverter.io.in.valid := issued.valid && issued.isRoot
  inverter.io.in.payload := issued.factors(1)
  private val nodes = Stream(cloneOf(io.factors.payload))
  nodes.valid := issued.valid && !issued.isRoot
  nodes.payload := issued.factors
  issued.ready := issued.isRoot ? inverter.io.in.ready | nodes.ready
  private val returns = Delay(nodes.fire, multiply, init = False)
  norm match {
    case Some(norm) =>
      norm.result := io.result
      io.factors.valid := nodes.valid || norm.factors.valid
      io.factors.payload := norm.factors.valid ? norm.factors.payload | nodes.payload
      norm.factors.ready := io.factors.ready
      nodes.ready := io.factors.ready && !norm.factors.valid
    case None => io.factors << nodes
  }
  private val target = Delay(issued.target, multiply)

  // Nodes and inverses are written by the copy, by products and by the inverter.
  private val node = Flow(TreeValue(nodeBits, width))
  private val inverse = Flow(TreeValue(nodeBits, width))
  node.valid := False
  node.place := target
  node.value := io.result
  inverse.valid := False
  inverse.place := target
  inverse.value := io.result
  for ((memory, isOdd) <- Seq(even -> False, odd -> True))
    memory.write((node.place >> 1).resize(placeBits), node.value, node.valid && node.place.lsb === isOdd)
  private val isInner = inverse.place < size
  inner.write(inverse.place.resize(placeBits), inverse.value, inverse.valid && isInner)
  io.inverses.valid := inverse.valid && !isInner
  io.inverses.place := (side ## (inverse.place - size).resize(placeBits)).asUInt
  io.inverses.value := inverse.value

  private val copying = Delay(index, timing.memory)
  private val copies = Bool() // an element is read, to become node `copying` + L
  leaves.io.read := (side ## index.resize(placeBits)).asUInt
  inverter.io.out.ready := False
  io.start.ready := False
  io.done.valid := False

  private val fsm = new StateMachine {
    val Idle, Copy, Up, Root, Invert, Down, Finish = new State
    setEntry(Idle)

    Idle.whenIsActive {
      io.start.ready := True
      size := io.start.leaves
      side := io.start.side
      returned := io.start.leaves
      index := 0
      when(io.start.valid)(goto(Copy))
    }
    Copy.whenIsActive {
      index := index + 1
      node.valid := copies
      node.place := copying + size
      node.value := leaves.io.found
      when(copies && copying === size - 1) {
        index := size - 1
        goto(Up)
        when(size === 1)(goto(Root))
      }
    }
    Up.whenIsActive {
      node.valid := returns
      request.valid := returned <= (index << 1)
      when(request.fire) {
        index := index - 1
        when(index === 1)(goto(Root))
      }
    }
    Root.whenIsActive {
      node.valid := returns
      index := 0
      request.isRoot := True
      request.valid := returned === 1
      when(request.fire)(goto(Invert))
    }
    Invert.whenIsActive {
      index := 1
      second := False
      inverter.io.out.ready := True
      inverse.valid := inverter.io.out.valid
      inverse.place := 1
      inverse.value := inverter.io.out.payload
      when(inverter.io.out.valid) {
        goto(Down)
        when(size === 1)(goto(Finish))
      }
    }
    Down.whenIsActive {
      inverse.valid := returns
      request.isInverse := True
      request.target := (index(nodeBits - 2 downto 0) ## second).asUInt
      request.valid := returned >= index
      when(request.fire) {
        second := !second
        when(second) {
          index := index + 1
          when(index === size - 1)(goto(Finish))
        }
      }
    }
    Finish.whenIsActive {
      inverse.valid := returns
      io.done.valid := returned === ((size << 1) - 1).resize(nodeBits)
      when(io.done.fire)(goto(Idle))
    }
  }
  copies := Delay(fsm.isActive(fsm.Copy), timing.memory, init = False)
  when(returns)(returned := target)
}

object InversionTree {

  /** The interval of the digits of a factor. */
  def factor(arithmetic: Arithmetic): Bound =
    if (arithmetic.components == 1) arithmetic.product else QuadraticInverter.factor(arithmetic)
}

/** An element, node or inverse with its place. */
case class TreeValue(placeBits: Int, width: Int) extends Bundle {
  val place = UInt(placeBits bits)
  val value = Bits(width bits)
}

/** A set of elements: their number, at least 1, and the half of the memory in which they are. */
case class InversionStart(placeBits: Int) extends Bundle {
  val leaves = UInt(placeBits + 1 bits)
  val side = Bool()
}

private case class TreeRequest(nodeBits: Int) extends Bundle {
  val index = UInt(nodeBits bits) // the node whose children, or whose inverse and one child, are read
  val target = UInt(nodeBits bits) // the node of the product
  val isRoot, isInverse, isSecond = Bool()
}

private case class TreeOperands(nodeBits: Int, width: Int) extends Bundle {
  val target = UInt(nodeBits bits)
  val isRoot = Bool()
  val factors = Vec(Bits(width bits), 2)
}
