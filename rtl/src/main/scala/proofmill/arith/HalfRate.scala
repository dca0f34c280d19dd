package proofmill.arith

import spinal.core._
import spinal.lib._

/** A register that takes a payload every two cycles at most, for wide payloads.
  *
  * It does what `Stream.halfPipe` does. There one register is both the enable of each of the payload's bits and `ready`, so who offers a payload
  * waits for a wire to all of them. Here parts of the payload have enables of their own, and `ready` has none of them to drive.
  */
object HalfRate {
  def apply[T <: Data](from: Stream[T], timing: Timing = Timing()): Stream[T] = new Composite(from, "half") {
    val to = Stream(from.payloadType)
    val valid = RegInit(False)
    private val next = valid ? !to.ready | from.valid
    valid := next
    from.ready := !valid
    to.valid := valid

    val payload = Reg(from.payloadType)
    private val leaves = payload.flatten.zip(from.payload.flatten)
    val takes = Copies(!next, leaves.size, timing, init = Some(true))
    for (((held, offered), take) <- leaves.zip(takes)) when(take)(held.assignFrom(offered))
    to.payload := payload
  }.to
}
