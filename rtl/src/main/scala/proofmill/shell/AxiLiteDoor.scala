package proofmill.shell

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite._

/** AXI4-Lite slave in front of the registers: one read and one write at a time, always answered with OKAY.
  *
  * A write waits for address and data in either order, then `write` is high for one cycle. A read gives `read` for one cycle
  * with its address, takes `readData` at the end of that cycle, and leaves at least two cycles to the next one.
  * Byte addresses; the two lowest bits are ignored.
  */
case class AxiLiteDoor(addressBits: Int) extends Component {
  val axi = slave(AxiLite4(addressBits, 32))

  val read = out(RegInit(False))
  val readAddress = out(Reg(UInt(addressBits bits)))
  val readData = in(Bits(32 bits))

  val write = out(Bool())
  val writeAddress = out(UInt(addressBits bits))
  val writeData = out(Bits(32 bits))
  val writeStrobe = out(Bits(4 bits))

  private def aligned(address: UInt): UInt = (address(addressBits - 1 downto 2) << 2)

  // Read: address taken, then `read`, then the answer waits to be taken.
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

  // Write: both halves taken in the same cycle, then the answer waits to be taken.
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
