package proofmill.engine.coprocessor

import proofmill.pairing.Layout
import spinal.core._
import spinal.lib._

/** What the job of a context goes through a table by: the parts of a scalar, or one line after the other. */
case class TableWalk(contexts: Int) extends Bundle {
  val context = UInt(log2Up(contexts) bits)
  val second, lines = Bool() // in G2; lines
  val parts = Bits(ScalarSplit.width bits) // as of [[ScalarSplit]]
}

/** The entries that the walks under way read now.
  *
  *   - G1: two bits of each of two parts at a time, the lowest ones first. Digits 0 and 1 are a bit of k0, one of k1, and above them one
  *     of x^2, by which the walk finds out whether its point is in the subgroup.
  *   - G2: four bits of each of four parts at a time, the highest ones first.
  *   - Lines: the next one, as entry 0.
  */
class TableEntries(contexts: Int) extends Component {
  import TableEntries._
  val io = new Bundle {
    val begin = slave(Flow(TableWalk(contexts)))
    val reader = in(UInt(log2Up(contexts) bits))
    val taken = in(Bool()) // it reads a coordinate of an entry
    // Where the digits' entries begin in a table, of each context.
    val entries = out(Vec.fill(contexts, Layout.digits)(UInt(Layout.entryBits bits)))
  }
  // What was read counts a cycle later, and is seen another one later. The first entry of a turn is read some cycles behind the last one of the turn before.
  private val taken = RegNext(io.taken, init = False)
  private val from = RegNext(io.reader)
  private val walks = Seq.tabulate(contexts) { i =>
    new Area {
      val parts = Reg(Bits(ScalarSplit.width bits))
      val second, lines = Reg(Bool())
      val loads = Reg(UInt(4 bits)) // of this turn
      val turn = Reg(UInt(log2Up(turns) bits))
      val last = UInt(loads.getWidth bits)
      last := second ? U(loadsOfSecond - 1) | U(loadsOfFirst - 1)
      when(lines)(last := loadsOfLine - 1)
      val shifted = second ? (parts |<< Layout.digitBits) | Cat(parts.subdivideIn(2 slices).map(_ |>> bitsOfFirst))
      val entries = Reg(Vec.fill(Layout.digits)(UInt(Layout.entryBits bits)))
      when(taken && from === i) {
        loads := loads + 1
        when(loads === last) {
          loads := 0
          turn := turn + 1
          parts := shifted
          entries := entriesOf(shifted, second, turn + 1)
          when(lines)(entries(0) := entries(0) + Layout.lineSlots)
        }
      }
      when(io.begin.valid && io.begin.context === i) {
        parts := io.begin.parts
        second := io.begin.second
        lines := io.begin.lines
        loads := 0
        turn := 0
        entries := entriesOf(io.begin.parts, io.begin.second, U(0, turn.getWidth bits))
        when(io.begin.lines)(entries(0) := 0)
      }
    }
  }
  private def entriesOf(parts: Bits, second: Bool, turn: UInt) = {
    val halves = parts.subdivideIn(2 slices)
    val lowest = (0 until bitsOfFirst).map(bit => square(turn)(bit) ## halves(1)(bit) ## halves(0)(bit))
    val highest = parts.subdivideIn(Layout.digits slices).map(_.takeHigh(Layout.digitBits))
    Vec(highest.zipWithIndex.map { case (other, i) =>
      val digit = lowest.lift(i).map(first => second ? other | first.resize(Layout.digitBits)).getOrElse(other)
      (digit.asUInt * Layout.entrySlots).resize(Layout.entryBits)
    })
  }
  private def square = Vec(
    (0 until turns).map(t =>
      B((ScalarSplit.parameter.pow(2) >> (bitsOfFirst * t)) & ((1 << bitsOfFirst) - 1), bitsOfFirst bits)
    )
  )
  io.entries := Vec(walks.map(_.entries))
}

object TableEntries {

  /** Bits of an integer that a turn of a walk in G1 takes. */
  private val bitsOfFirst = 2

  /** More than a walk in G1 has. */
  private val turns = 128

  /** Pairs of slots of entries that a turn reads: x, y and z of each. */
  private val loadsOfFirst = 3 * bitsOfFirst
  private val loadsOfSecond = 3 * Layout.digits
  private val loadsOfLine = Layout.lineSlots / 2
}
