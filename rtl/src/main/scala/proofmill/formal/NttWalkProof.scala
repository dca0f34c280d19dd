package proofmill.formal

import proofmill.engine.ntt.{NttConfig, Pass, PassKind, AddressRegister}
import spinal.core._

/** A walk meets each beat of its pass exactly once, and then is done: none is outside of the pass, none comes twice, there are as many as the
  * pass has, the last one is marked, and a step comes while there is one. `watched` stands for any beat.
  *
  * The pass is any of those with columns and numbers of columns of these sizes, and steady from the cycle before a walk begins; that may be at any
  * moment. If the card has three passes, the middle one is among them.
  *
  * @param sizes  of columns, as `Pass.b` says them
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

  // What is steady.
  val later = RegNext(True) init False
  private def steady[T <: Data](value: T): Unit = assume(!later || value.asBits === RegNext(value.asBits))
  steady(pass)
  steady(watched)
  assume(!start || later)
  assume(!next || dut.io.valid)

  val whole = pass.kind === PassKind.Whole
  val columnBits = (pass.b +^ U(coreBits, 4 bits)).resize(4)
  val columns = (U(1, beatsBits bits) |<< (pass.other - laneBits)).resize(beatsBits) // of as many as there are lanes
  assume(pass.b >= sizes.head && pass.b <= sizes.last)
  assume(
    whole ? (pass.tiles >= 1 && pass.tiles <= 3) |
      (columnBits >= laneBits && pass.other >= others.head && pass.other <= others.last && pass.tiles === columns)
  )

  if (config.hasThree) assume(pass.kind =/= PassKind.Middle || pass.inner >= laneBits && pass.inner <= pass.other)
  else assume(pass.kind =/= PassKind.Middle)

  /** Of the pass: a lane has an element of a transform of Whole, and a column of a tile of the others. */
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

  // So that the proof is found: where the walk stands is how many steps there were.
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
