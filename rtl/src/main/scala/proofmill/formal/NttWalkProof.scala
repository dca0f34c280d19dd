package proofmill.formal

import proofmill.engine.ntt.{NttConfig, Pass, PassKind, Walk}
import spinal.core._

/** A walk meets each beat of its pass exactly once, and then is done: none is outside of the pass, none comes twice, and there are as many
  * as the pass has. `watched` stands for any beat.
  *
  * The pass is any of those with columns of up to 2^(6 + mostB) elements and small matrices, and steady; a walk may begin anew at any moment.
  */
class NttWalkProof(written: Boolean, mostB: Int) extends Component with Proof {
  private val config = NttConfig(lanes = 8, mostLog = 12, memoryBits = 13)
  private val beatsBits = config.memoryBits - 6
  val dut = new Walk(config, written)
  val pass = freeInput(dut.io.pass)
  val start = freeInput(dut.io.start)
  val next = freeInput(dut.io.next)
  val watched = in(UInt(beatsBits bits))

  // What is steady, and has been for some cycles when a walk begins.
  val age = Reg(UInt(2 bits)) init 0
  when(age =/= 3)(age := age + 1)
  private def steady[T <: Data](value: T): Unit = assume(age === 0 || value.asBits === RegNext(value.asBits))
  steady(pass)
  steady(watched)
  assume(!start || age === 3)
  assume(!next || !dut.io.done)

  val whole = pass.kind === PassKind.Whole
  assume(pass.b <= mostB)
  assume(
    whole ? (pass.tiles >= 1 && pass.tiles <= 3) | (pass.other >= 3 && pass.other <= 4 && pass.tiles === (U(
      1,
      beatsBits bits
    ) |<< (pass.other - 3)).resize(beatsBits))
  )

  /** Of the pass: a transform of Whole has 2^(b + 3) beats a channel, a tile of the others 2^(b + 6). */
  val beats =
    (pass.tiles |<< (whole ? (pass.b +^ U(3, 3 bits)) | (pass.b +^ U(6, 3 bits)))).resize(beatsBits + 1)
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

  val at = begun && !dut.io.done
  assert(!at || dut.io.beat < beats, "no beat outside of the pass")
  assert(!(at && met) || dut.io.beat =/= watched, "no beat comes twice")
  assert(!at || steps < beats, "not more beats than the pass has")
  assert(!(begun && dut.io.done) || steps === beats, "not fewer")
  assert(!(begun && dut.io.done) || met, "each beat comes")
}
