package proofmill.shell

import spinal.core._
import spinal.lib._

/** Whose turn it is of some: those who began, in their order; the next one's when the present one's is `over`.
  *
  * @param most a power of two: turns that wait or are under way
  */
class Turns(of: Int, most: Int, begins: Bool, whose: UInt, over: Bool) extends Area {
  val queue = StreamFifo(UInt(log2Up(of) bits), most, latency = 1)
  queue.io.push.valid := begins
  queue.io.push.payload := whose
  val room = queue.io.push.ready
  val some = queue.io.pop.valid
  val owner = queue.io.pop.payload
  queue.io.pop.ready := over
}
