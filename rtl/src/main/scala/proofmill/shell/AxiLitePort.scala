package proofmill.shell

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite._

/** An AXI4-Lite subordinate for registers: one outstanding read and one outstanding write; the response is always OKAY.
  *
  * A write waits for its address and its data, in either order. There are at least two cycles between two reads. Addresses
  * are in bytes; the two lowest bits are ignored.
  */
case class AxiLitePort(addressBits: Int) extends Component {
  val axi = slave(AxiLite4(addressBits, 32)) // the register bus; addresses in bytes

  /** A pulse per read with its address; `readData` is sampled at the end of the same cycle. */
  val read = out(RegInit(False))
  val readAddress = out(Reg(UInt(addressBits bits))) // byte address, a multiple of 4; steady until the next read
  val readData = in(Bits(32 bits)) // the register's value, sampled at the end of the cycle with `read`

  /** A pulse per write. */
  val write = out(Bool())
  val writeAddress = out(UInt(addressBits bits)) // byte address, a multiple of 4; valid with `write`
  val writeData = out(Bits(32 bits)) // valid with `write`
  val writeStrobe = out(Bits(4 bits)) // a bit per byte of `writeData` to write; valid with `write`

  private def aligned(address: UInt): UInt = (address(addressBits - 1 downto 2) << 2)

  // Read: address, then `read`, then the response.
  val answering = RegInit(False)
  val answer = RegNextWhen(readData, read)
  axi.ar.ready := !read && !answering
  read := axi.ar.fire
  when(axi.ar.fire)(readAddress := aligned(axi.ar.addr))
  when(read)(answering := True)
  when(axi.r.fire)(answering := False)
  axi.r.valid := answering
  axi.r.data := answer
  axi.r.setOKAY()

  // Write: address and data in the same cycle, then the response.
  val acknowledging = RegInit(False)
  write := axi.aw.valid && axi.w.valid && !acknowledging
  axi.aw.ready := write
  axi.w.ready := write
  writeAddress := aligned(axi.aw.addr)
  writeData := axi.w.data
  writeStrobe := axi.w.strb
  acknowledging := write || (acknowledging && !axi.b.ready)
  axi.b.valid := acknowledging
  axi.b.setOKAY()
}
