package proofmill.engine

import spinal.core._
import spinal.lib._

/** An access to a whole 32-bit word of a window. `offset`: its byte address in the window. */
case class WindowAccess(offsetBits: Int) extends Bundle {
  val write = Bool()
  val offset = UInt(offsetBits bits)
  val data = Bits(32 bits)
}

/** Addresses that an engine implements itself, from byte address `base` on.
  *
  * An access is accepted when it is done; `answer` is the word that was read, valid while `access` fires. After a reset of the engine an access that
  * was not accepted is offered again.
  */
case class Window(base: Int, bytes: Int) extends Bundle with IMasterSlave {
  val access = Stream(WindowAccess(log2Up(bytes)))
  val answer = Bits(32 bits)
  override def asMaster(): Unit = {
    master(access)
    in(answer)
  }
  def <<(from: Window): Unit = {
    access << from.access
    from.answer := answer
  }
}
