package proofmill.engine

import spinal.core._
import spinal.lib._

/** An access to a 32-bit word of a window, whose bytes are not told apart. `offset`: its byte address in the window. */
case class WindowAccess(offsetBits: Int) extends Bundle {
  val write = Bool()
  val offset = UInt(offsetBits bits)
  val data = Bits(32 bits)
}

/** Addresses that an engine answers itself, from byte address `base` on.
  *
  * An access stays until it is taken, and is taken when it is done; then `answer` is what was read. When the engine is reset an access that
  * was not taken is offered again.
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
