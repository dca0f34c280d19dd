package proofmill.formal

import proofmill.shell.AxiLitePort
import spinal.core._
import spinal.lib._

/** For any manager: each access has one response, with the data of the addressed register, within a bounded time. */
class AxiLitePortProof(addressBits: Int) extends Component with Proof {
  val dut = AxiLitePort(addressBits)
  val axi = slave(cloneOf(dut.axi))
  dut.axi << axi
  val readData = freeInput(dut.readData)
  Seq(axi.aw, axi.w, axi.ar).foreach(channel => assumeStaysOffered(channel.asInstanceOf[Stream[Data]]))

  def outstanding(begins: Bool, ends: Bool): Bool = {
    val one = RegInit(False)
    when(begins)(one := True) elsewhen (ends)(one := False)
    assert(!(begins && one), "one at a time")
    assert(!(ends && !one), "no answer without an access")
    one
  }
  val reading = outstanding(axi.ar.fire, axi.r.fire)
  val writing = outstanding(axi.aw.fire, axi.b.fire)
  assert(axi.aw.fire === axi.w.fire && axi.aw.fire === dut.write, "address and data together, one write")

  val address = RegNextWhen(axi.ar.addr, axi.ar.fire) init 0
  val data = RegNextWhen(readData, dut.read) init 0
  assert((RegNext(axi.ar.fire) init False) === dut.read, "one read for each address")
  assert(!dut.read || dut.readAddress === (address(addressBits - 1 downto 2) << 2), "of the address")
  assert(!axi.r.valid || axi.r.data === data, "its data")
  staysOffered("a read answer", axi.r)
  staysOffered("a write answer", axi.b)

  responds("an address is taken", axi.ar.valid && axi.r.ready, axi.ar.ready, within = 2)
  responds("a read is answered", reading, axi.r.valid, within = 1)
  responds("a write is taken", axi.aw.valid && axi.w.valid && axi.b.ready, axi.aw.ready, within = 1)
  responds("a write is answered", writing, axi.b.valid, within = 0)
}
