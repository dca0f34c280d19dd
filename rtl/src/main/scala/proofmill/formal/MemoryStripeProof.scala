package proofmill.formal

import proofmill.engine.{Engine, Granule}
import proofmill.shell.MemoryStripe
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi._

/** The common part of the proofs of reads and of writes: two ports and units of two bytes. Data contain their address. */
abstract class MemoryStripeProof(bursts: Int) extends Component with Proof {
  protected val ports = 2
  protected val unit = 2
  protected val addressBits = 3
  private val config = Engine.bus(addressBits, dataBits = 8)
  val dut = MemoryStripe(config, ports, bursts, unit, beats = 2)

  /** Addresses that were accepted and are not `over`, oldest first. */
  class Order[T <: Axi4Ax](address: Stream[T], over: Bool, most: Int) extends Area {
    val all = Vec(Reg(UInt(address.addr.getWidth bits)) init 0, most)
    val count = Reg(UInt(log2Up(most + 1) bits)) init 0
    when(over)(for (i <- 0 until most - 1) (all(i) := all(i + 1)))
    val place = count - U(over)
    for (i <- 0 until most) when(address.fire && place === i)(all(i) := address.addr)
    count := place + U(address.fire)
    val some = count =/= 0
    val oldest = all(0)
  }

  /** Returns the channel's address for an address at a port. */
  protected def from(port: Int, inside: UInt): UInt = MemoryStripe.address(U(port, 1 bits), inside, ports, unit)
  protected def is(data: Bits, address: UInt): Bool = data.resize(addressBits).asUInt === address

  protected def turnsRound(address: UInt): Unit = MemoryStripeProof.turnsRound(address, ports, unit)

  protected def none[T <: Data](stream: Stream[T]): Unit = {
    stream.valid := False
    stream.payload.assignFromBits(B(0, stream.payload.getBitsWidth bits))
  }
}

object MemoryStripeProof {

  /** Asserts that the map is one to one, by its inverse. */
  def turnsRound(address: UInt, ports: Int, unit: Int): Unit = {
    val (port, inside) = (MemoryStripe.port(address, ports, unit), MemoryStripe.inside(address, ports, unit))
    assert(MemoryStripe.address(port, inside, ports, unit) === address, "port and place say which address it is")
  }
}

/** The map of a board: eight ports of 256 MiB each, which are the channel's 2 GiB. */
class MemoryStripeMapProof extends Component with Proof {
  val address = in(UInt(31 bits))
  MemoryStripeProof.turnsRound(address, ports = 8, unit = Granule.bytes)
}

/** Reads: each port gets the addresses that belong to it, translated, and data return in the order of the addresses. The
  * lowest bit of a port's data is the lowest bit of the unit's number, which differs between consecutive units of a port.
  */
class MemoryStripeReadProof(bursts: Int) extends MemoryStripeProof(bursts) {
  val addresses = freeSource(dut.manager.ar)
  val data = freeSink(dut.manager.r)
  none(dut.manager.aw)
  none(dut.manager.w)
  dut.manager.b.ready := False
  assumeStaysOffered(addresses)
  turnsRound(addresses.addr)

  val reads = new Order(addresses, data.fire && data.last, bursts + 2)
  for ((memory, port) <- dut.memories.zipWithIndex) {
    val asks = freeSink(memory.ar)
    val answers = freeSource(memory.r)
    none(memory.b)
    Seq(memory.aw.ready, memory.w.ready).foreach(_ := False)
    val mine = addresses.fire && MemoryStripe.port(addresses.addr, ports, unit) === port
    val newest = RegNextWhen(MemoryStripe.inside(addresses.addr, ports, unit), mine)
    assert(!asks.valid || asks.addr === newest, s"port $port is asked for what was asked of it")
    assert(!RegNext(mine, init = False) || asks.valid, s"port $port is asked at once")
    staysOffered(s"an address at port $port", asks)
    val asked = new Order(asks, answers.fire && answers.last, bursts + 1)
    assume(!answers.valid || (asked.some && answers.data(0) === from(port, asked.oldest)(1)))
    assumeStaysOffered(answers)
  }
  assert(!data.valid || (reads.some && data.data(0) === reads.oldest(1)), "data in order")
  assert(reads.count <= bursts + 1, "no more than there is room for")
}

/** Writes: a port gets the data of its addresses, responses return in the order of the addresses, and a port's responses are
  * accepted. The lowest bits of the manager's data are their address; a port's response has the lowest bit of its unit.
  */
class MemoryStripeWriteProof(bursts: Int) extends MemoryStripeProof(bursts) {
  val addresses = freeSource(dut.manager.aw)
  val data = freeSource(dut.manager.w)
  val responses = freeSink(dut.manager.b)
  none(dut.manager.ar)
  dut.manager.r.ready := False
  assumeStaysOffered(addresses)
  assumeStaysOffered(data)
  turnsRound(addresses.addr)

  val owed = new Order(addresses, data.fire && data.last, bursts + 2)
  val written = new Order(addresses, responses.fire, bursts + 2)
  assume(!data.valid || (owed.some && is(data.data, owed.oldest)))
  for ((memory, port) <- dut.memories.zipWithIndex) {
    val (asks, stores) = (freeSink(memory.aw), freeSink(memory.w))
    val answers = freeSource(memory.b)
    none(memory.r)
    memory.ar.ready := False
    val due = new Order(asks, stores.fire && stores.last, bursts + 1)
    val stored = new Order(asks, answers.fire, bursts + 1)
    assume(!answers.valid || (stored.some && answers.resp(0) === from(port, stored.oldest)(1)))
    assumeStaysOffered(answers)
    val address = due.some ? due.oldest | asks.addr // data may be valid with their address, or before it
    assert(
      !stores.valid || (due.some || asks.valid) && is(stores.data, from(port, address)),
      s"data at port $port are for its oldest address"
    )
    staysOffered(s"an address at port $port", asks)
    staysOffered(s"data at port $port", stores)
    val wanted = written.some && MemoryStripe.port(written.oldest, ports, unit) === port
    assert(!(wanted && answers.valid && responses.ready) || answers.ready, s"a response of port $port is heard")
  }
  assert(!responses.valid || (written.some && responses.resp(0) === written.oldest(1)), "responses in order")
  assert(written.count <= bursts, "no more than there is room for")
}
