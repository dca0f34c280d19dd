package proofmill.arith

import spinal.core._
import spinal.lib._

/** A register stage for wide payloads that accepts at most one payload in two cycles.
  *
  * It behaves like `Stream.halfPipe`. In `halfPipe` one register drives the enable of every payload bit and `ready`, so the
  * path of `ready` includes a wire to all of them. In this stage the parts of the payload have separate enables, which do not
  * load `ready`.
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
