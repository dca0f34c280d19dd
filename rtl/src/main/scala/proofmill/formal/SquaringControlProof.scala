package proofmill.formal

import proofmill.engine.vdf.SquaringControl
import spinal.core._

/** A job has exactly its squarings, each in a period of the same cycles, and a fresh job one more period before them; the
  * products of each pass enter in their cycle of a phase, and a pulse marks the end of each phase.
  *
  * The reference counts the cycles of a job down.
  */
class SquaringControlProof(passes: Int) extends Component with Proof {
  private val countBits = 3
  private val phase = passes + 1
  private val period = 2 * phase
  private val dut = new SquaringControl(countBits, passes)
  val start = freeInput(dut.io.start)
  assume(!start.valid || !dut.io.busy)
  assume(!start.valid || start.squarings =/= 0)

  private val bits = countBits + 1 + log2Up(period)
  private def cycles(periods: UInt): UInt = (periods * U(period, log2Up(period) + 1 bits)).resize(bits)
  val left = Reg(UInt(bits bits)) init 0 // cycles of the job
  val ofSquarings = Reg(UInt(bits bits)) init 0 // all of them that are of squarings
  private val busy = left =/= 0
  when(busy)(left := left - 1)
  when(start.valid) {
    ofSquarings := cycles(start.squarings)
    left := cycles(start.squarings +^ start.fresh.asUInt)
  }

  private val inPeriod = (left - 1) % period // cycles until the period's last one
  private val ends = busy && inPeriod === 0
  private val squares = left <= ofSquarings
  assert(dut.io.busy === busy, "busy for the cycles of the job")
  assert(dut.io.clear === (start.valid && start.fresh), "a fresh job clears the state")
  assert(dut.io.replace === ends, "the state is replaced at the end of a period")
  assert(dut.io.squared === (ends && squares), "all periods but that of the input are squarings")
  assert(dut.io.done === (left === 1), "the end of the job")
  assert(!busy || dut.io.complete === (inPeriod === phase), "the square is complete at the end of its phase")
  private val second = if (passes == 1) False else inPeriod === 1 || inPeriod === phase + 1
  assert(!busy || dut.io.second === second, "the second pass is the second cycle of a phase")

  // Invariants that shorten the proof.
  private val cycle = dut.cycle.pull()
  private val periods = dut.left.pull() +^ dut.enters.pull().asUInt
  assert(busy || cycle === 0, "a job begins with a period's first cycle")
  assert(!busy || left === cycles(periods) - cycle.resize(bits), "what is left")
  assert(!busy || dut.enters.pull() === !squares, "the period of the input")
  assert(cycle.resize(bits) < period, "a cycle of a period")
  assert(!busy || dut.left.pull() =/= 0, "squarings are left")
}
