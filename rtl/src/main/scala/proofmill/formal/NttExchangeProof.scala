package proofmill.formal

import proofmill.engine.ntt.{Beat, Steps}
import spinal.core._
import spinal.lib._

/** Proof of the exchange of a lane bit with a time bit: every element leaves exactly once, in its block and at the exchanged
  * position.
  *
  * `watched` is any position in a block of 2^(bit + 1) beats, and `pick` selects any block: the element that enters there
  * must leave.
  */
class NttExchangeProof(laneBits: Int, lane: Int, bit: Int) extends Component with Proof {
  private val timeBits = bit + 1
  private val bits = laneBits + timeBits
  val input = slave(Flow(Beat(1, 1 << laneBits)))
  val watched = in(UInt(bits bits))
  val pick = in(Bool())

  private def counted(valid: Bool): UInt = {
    val count = Reg(UInt(timeBits bits)) init 0
    when(valid)(count := count + 1)
    count
  }
  val came = counted(input.valid)
  val output = Steps.exchange(input, came, lane, bit)
  val left = counted(output.valid)
  assume(came === 0 || input.valid)
  private val first = RegNext(False) init True
  assume(first || watched === RegNext(watched))

  val after = UInt(bits bits)
  after := watched
  after(lane) := watched.msb
  after(bits - 1) := watched(lane)
  private def laneOf(place: UInt): UInt = place.takeLow(laneBits).asUInt
  private def timeOf(place: UInt): UInt = place.dropLow(laneBits).asUInt

  val whole = Reg(UInt(2 bits)) init 0 // blocks that have entered and not left completely
  val blockLeaves = output.valid && left.andR
  whole := whole + U(input.valid && came.andR) - U(blockLeaves)
  val seen, gone = RegInit(False)
  val value = Reg(Bool()) init False
  val ahead = Reg(UInt(2 bits)) init 0 // blocks that leave before its own
  val enters = input.valid && came === timeOf(watched) && pick && !seen
  when(enters) {
    seen := True
    value := input.lanes(laneOf(watched))(0)
  }
  val aheadNow = enters ? whole | ahead // it may leave in the cycle in which it enters
  ahead := (aheadNow =/= 0 && blockLeaves) ? (aheadNow - 1) | aheadNow
  val now = (seen || enters) && !gone && aheadNow === 0 && output.valid && left === timeOf(after)
  when(now)(gone := True)
  val held = enters ? input.lanes(laneOf(watched))(0) | value
  assert(!now || output.lanes(laneOf(after))(0) === held, "an element leaves in its place, as it came")
  assert(!(seen && !gone) || whole =/= 0 || came =/= 0, "no element is passed over")
  assert(!output.valid || whole =/= 0 || came =/= 0, "nothing leaves that is not inside")
  assert(whole <= 2, "no more is inside than fits")
  responds("a block leaves", whole =/= 0, output.valid, within = 0)
}
