package proofmill.shell

import spinal.core._
import spinal.lib._

/** A queue of the owners of transfers in their order: `owner` is that of the oldest transfer, until `over`.
  *
  * @param of     number of owners
  * @param most   maximum number of outstanding transfers, a power of two
  * @param begins pulse: a transfer of `whose` begins; only while `room`
  * @param over   pulse: the oldest transfer ends
  */
class OwnerQueue(of: Int, most: Int, begins: Bool, whose: UInt, over: Bool) extends Area {
  val queue = StreamFifo(UInt(log2Up(of) bits), most, latency = 1)
  queue.io.push.valid := begins
  queue.io.push.payload := whose
  val room = queue.io.push.ready
  val some = queue.io.pop.valid
  val owner = queue.io.pop.payload
  queue.io.pop.ready := over
}
