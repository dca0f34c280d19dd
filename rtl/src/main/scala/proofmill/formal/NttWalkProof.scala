package proofmill.formal

import proofmill.engine.ntt.{NttConfig, Pass, PassKind, AddressRegister}
import spinal.core._

/** Proof that an address generator generates each beat of its pass exactly once: no beat is outside of the pass, none is
  * repeated, their number is that of the pass, the last one is marked, and `valid` is high while there is one. `watched` is
  * any beat.
  *
  * The pass is any of those with columns and numbers of columns of these sizes. It is steady from the cycle before the start,
  * which may be at any time. For a card with three passes, the middle one is included.
  *
  * @param sizes  values of `Pass.b`
  * @param others base-2 logarithms of the number of columns
  */
class NttWalkProof(config: NttConfig, written: Boolean, sizes: Range, others: Range) extends Component with Proof {
  import config.{coreBits, laneBits}
  private val beatsBits = config.memoryBits - 6
  val dut = new AddressRegister(config, written)
  val pass = freeInput(dut.io.pass)
  val start = freeInput(dut.io.start)
  val next = freeInput(dut.io.next)
  val watched = in(UInt(beatsBits bits))

  // Steady inputs.
  val later = RegNext(True) init False
  private def steady[T <: Data](value: T): Unit = assume(!later || value.asBits === RegNext(value.asBits))
  steady(pass)
  steady(watched)
  assume(!start || later)
  assume(!next || dut.io.valid)

  val whole = pass.kind === PassKind.Whole
  val columnBits = (pass.b +^ U(coreBits, 4 bits)).resize(4)
  val columns =
    (U(1, beatsBits bits) |<< (pass.other - laneBits)).resize(beatsBits) // tiles: groups of as many columns as lanes
  assume(pass.b >= sizes.head && pass.b <= sizes.last)
  assume(
    whole ? (pass.tiles >= 1 && pass.tiles <= 3) |
      (columnBits >= laneBits && pass.other >= others.head && pass.other <= others.last && pass.tiles === columns)
  )

  if (config.hasThree) assume(pass.kind =/= PassKind.Middle || pass.inner >= laneBits && pass.inner <= pass.other)
  else assume(pass.kind =/= PassKind.Middle)

  /** Bits of a tile of the pass: a lane has an element of a transform of Whole, or a column of a tile of the other kinds. */
  val tileBits = (whole ? ((columnBits > laneBits) ? (columnBits - laneBits) | U(0, 4 bits)) | columnBits).resize(3)
  val beats = (pass.tiles.resize(beatsBits + 1) |<< tileBits)
  assume(watched < beats)

  val met = RegInit(False)
  val steps = Reg(UInt(beatsBits + 1 bits)) init 0
  val begun = RegInit(False)
  when(next) {
    steps := steps + 1
    when(dut.io.beat === watched)(met := True)
  }
  when(start) {
    steps := 0
    met := False
    begun := True
  }

  // An invariant that the proof needs: the generator's position is the number of steps.
  private val generator = dut.generator
  private val stands =
    (generator.tile.pull().resize(beatsBits + 1) |<< tileBits) | generator.time.pull().resize(beatsBits + 1)
  assert(!begun || stands === steps + dut.io.valid.asUInt, "the walk is as far as the steps")

  val at = begun && dut.io.valid
  assert(!at || dut.io.beat < beats, "no beat outside of the pass")
  assert(!(at && met) || dut.io.beat =/= watched, "no beat comes twice")
  assert(!at || dut.io.isLast === (steps === beats - 1), "the last beat is marked, and no other")
  assert(!(begun && dut.io.done) || steps === beats, "as many beats as the pass has")
  assert(!(begun && dut.io.done) || met, "each beat comes")
  responds("a beat comes", begun && !start && !dut.io.done, dut.io.valid, within = 1)
}
