package proofmill.formal

import proofmill.shell.MemoryShare
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi._

/** Each of two managers gets the data that it requested, the memory gets the data that belong to its addresses, and neither
  * manager blocks the other for ever.
  *
  * Addresses and data of a manager have its number in the lowest bit. The memory returns the bit of an address with the
  * read's data and with the write's response, in the order of the addresses. A wrong destination is therefore visible in that
  * bit.
  */
class MemoryShareProof(bursts: Int) extends Component with Proof {
  private val config = Proof.axi
  val dut = MemoryShare(config, bursts)
  val managers = Seq.fill(2)(slave(Axi4(config)))
  for ((inside, manager) <- dut.managers.zip(managers)) inside << manager
  val memory = master(Axi4(config))
  memory << dut.memory

  for ((manager, i) <- managers.zipWithIndex) {
    val mine = Bool(i == 1)
    for (channel <- Seq(manager.ar, manager.aw)) assume(channel.addr(0) === mine)
    assume(manager.w.data(0) === mine)
    Seq(manager.ar, manager.aw, manager.w).foreach(it => assumeStaysOffered(it.asInstanceOf[Stream[Data]]))
  }

  /** The bits of addresses, oldest first. */
  class Order(push: Bool, bit: Bool, pop: Bool) extends Area {
    val bits = Vec(Reg(Bool()) init False, bursts + 2)
    val count = Reg(UInt(log2Up(bursts + 3) bits)) init 0
    when(pop)(for (i <- 0 until bursts + 1) (bits(i) := bits(i + 1)))
    val place = count - U(pop)
    for (i <- 0 until bursts + 2) when(push && place === i)(bits(i) := bit)
    count := place + U(push)
    val some = count =/= 0
    val oldest = bits(0)
  }
  val reads = new Order(memory.ar.fire, memory.ar.addr(0), memory.r.fire && memory.r.last)
  val owed = new Order(memory.aw.fire, memory.aw.addr(0), memory.w.fire && memory.w.last)
  val written = new Order(memory.aw.fire, memory.aw.addr(0), memory.b.fire)
  assume(!memory.r.valid || (reads.some && memory.r.data(0) === reads.oldest))
  assume(!memory.b.valid || (written.some && memory.b.resp(0) === written.oldest))

  assert(reads.count <= bursts + 1 && written.count <= bursts + 1, "no more than there is room for")
  assert(!memory.w.valid || (owed.some && memory.w.data(0) === owed.oldest), "data in the order of the addresses")
  for ((manager, i) <- managers.zipWithIndex) {
    val mine = Bool(i == 1)
    assert(!manager.r.valid || manager.r.data(0) === mine, s"read data of manager $i are its own")
    assert(!manager.b.valid || manager.b.resp(0) === mine, s"a response to manager $i is its own")
    val room = dut.read.room.pull() && dut.write.room.pull()
    for ((name, channel, takes) <- Seq(("read", manager.ar, memory.ar.ready), ("write", manager.aw, memory.aw.ready)))
      responds(s"a $name of manager $i is taken", channel.valid && takes && room, channel.ready, within = 2)
  }
  assert(!memory.r.ready || managers.map(m => m.r.fire).orR || !memory.r.valid, "what is taken is somebody's")
  staysOffered("a read's address", memory.ar)
  staysOffered("a write's address", memory.aw)
}
