package proofmill.engine.coprocessor

import proofmill.pairing.Layout
import spinal.core._
import spinal.lib._

/** How the job of a context goes through its table: by the digits of a split scalar, or from one line to the next. */
case class TableJob(contexts: Int) extends Bundle {
  val context = UInt(log2Up(contexts) bits)
  val second, lines = Bool() // a point of G2; lines
  val parts = Bits(ScalarSplit.width bits) // as of [[ScalarSplit]]
}

/** The table entries that the jobs in flight read next.
  *
  *   - G1: two bits of each of two parts at a time, the lowest ones first. Digits 0 and 1 are a bit of k0, one of k1, and above them one
  *     of x^2, by which the program tests whether its point is in the subgroup.
  *   - G2: four bits of each of four parts at a time, the highest ones first.
  *   - Lines: the next one, as entry 0.
  */
class TableEntries(contexts: Int) extends Component {
  import TableEntries._
  val io = new Bundle {

    /** A job begins. */
    val begin = slave(Flow(TableJob(contexts)))

    /** The context of `entryRead`. */
    val entryContext = in(UInt(log2Up(contexts) bits))
    val entryRead = in(Bool()) // pulse: the job of that context reads a coordinate of an entry

    /** Per context and digit the first slot of the entry, relative to the table; changes two cycles after its last coordinate was read. */
    val entries = out(Vec.fill(contexts, Layout.digits)(UInt(Layout.entryBits bits)))
  }
  // Registered: the first entry of an iteration is read some cycles after the last one of the previous iteration.
  private val entryRead = RegNext(io.entryRead, init = False)
  private val from = RegNext(io.entryContext)
  private val jobs = Seq.tabulate(contexts) { i =>
    new Area {
      val parts = Reg(Bits(ScalarSplit.width bits))
      val second, lines = Reg(Bool())
      val loads = Reg(UInt(4 bits)) // of this iteration
      val iteration = Reg(UInt(log2Up(iterations) bits))
      val last = UInt(loads.getWidth bits)
      last := second ? U(loadsOfSecond - 1) | U(loadsOfFirst - 1)
      when(lines)(last := loadsOfLine - 1)
      val shifted = second ? (parts |<< Layout.digitBits) | Cat(parts.subdivideIn(2 slices).map(_ |>> bitsOfFirst))
      val entries = Reg(Vec.fill(Layout.digits)(UInt(Layout.entryBits bits)))
      when(entryRead && from === i) {
        loads := loads + 1
        when(loads === last) {
          loads := 0
          iteration := iteration + 1
          parts := shifted
          entries := entriesOf(shifted, second, iteration + 1)
          when(lines)(entries(0) := entries(0) + Layout.lineSlots)
        }
      }
      when(io.begin.valid && io.begin.context === i) {
        parts := io.begin.parts
        second := io.begin.second
        lines := io.begin.lines
        loads := 0
        iteration := 0
        entries := entriesOf(io.begin.parts, io.begin.second, U(0, iteration.getWidth bits))
        when(io.begin.lines)(entries(0) := 0)
      }
    }
  }
  private def entriesOf(parts: Bits, second: Bool, iteration: UInt) = {
    val halves = parts.subdivideIn(2 slices)
    val lowest = (0 until bitsOfFirst).map(bit => square(iteration)(bit) ## halves(1)(bit) ## halves(0)(bit))
    val highest = parts.subdivideIn(Layout.digits slices).map(_.takeHigh(Layout.digitBits))
    Vec(highest.zipWithIndex.map { case (other, i) =>
      val digit = lowest.lift(i).map(first => second ? other | first.resize(Layout.digitBits)).getOrElse(other)
      (digit.asUInt * Layout.entrySlots).resize(Layout.entryBits)
    })
  }
  private def square = Vec(
    (0 until iterations).map(t =>
      B((ScalarSplit.parameter.pow(2) >> (bitsOfFirst * t)) & ((1 << bitsOfFirst) - 1), bitsOfFirst bits)
    )
  )
  io.entries := Vec(jobs.map(_.entries))
}

object TableEntries {

  /** Bits of each part of a scalar per iteration in G1. */
  private val bitsOfFirst = 2

  /** An upper bound of the iterations. */
  private val iterations = 128

  /** Reads of entries per iteration: x, y and z of each. */
  private val loadsOfFirst = 3 * bitsOfFirst
  private val loadsOfSecond = 3 * Layout.digits
  private val loadsOfLine = Layout.lineSlots / 2
}
