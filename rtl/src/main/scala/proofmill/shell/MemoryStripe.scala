package proofmill.shell

import proofmill.engine.Granule
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi._

/** Stripes a memory channel over several slower ports of the memory, such as the pseudo-channels of HBM.
  *
  * Consecutive units of `unit` bytes are behind different ports ([[MemoryStripe.port]]); a burst does not cross a unit. Bursts of all ports overlap. Read
  * data and responses return in the order of the addresses, so each port has a queue of read data.
  *
  * @param ports  a power of two, from 2 on
  * @param bursts a power of two: outstanding reads, and as many writes
  * @param beats  beats of read data that a port's queue holds
  */
case class MemoryStripe(
    config: Axi4Config,
    ports: Int,
    bursts: Int = 128,
    unit: Int = Granule.bytes,
    beats: Int = 2 * Granule.beats
) extends Component {
  require(isPow2(ports) && ports > 1 && isPow2(unit) && unit > 1, s"MemoryStripe: $ports ports, units of $unit bytes")

  val manager = slave(Axi4(config)) // the channel; a burst does not cross a unit
  val memories = Vec(master(Axi4(MemoryStripe.config(config, ports))), ports) // addresses as of [[MemoryStripe.inside]]

  /** Translates addresses to those of the ports, one cycle later. */
  private class Parts[T <: Axi4Ax](channel: Stream[T], to: Seq[Stream[T]], port: UInt) extends Area {
    val halves = to.map(cloneOf(_))
    for (((one, half), i) <- to.zip(halves).zipWithIndex) {
      half.valid := channel.valid && port === i
      half.payload.assignSomeByName(channel.payload)
      half.payload.addr.removeAssignments() := MemoryStripe.inside(channel.payload.addr, ports, unit)
      one << half.m2sPipe()
    }
    channel.ready := Vec(halves.map(_.ready))(port)
  }

  val read = new Area {
    val port = MemoryStripe.port(manager.ar.addr, ports, unit)
    val room = Bool()
    val address = manager.ar.haltWhen(!room)
    private val parts = new Parts(address, memories.toList.map(_.ar), port)
    private val waiting = memories.map(_.r.queue(beats, latency = 1))
    val data = Stream(Axi4R(config))
    val turns = new OwnerQueue(ports, bursts, address.fire, port, data.fire && data.last)
    room := turns.room
    data.valid := turns.some && Vec(waiting.map(_.valid))(turns.owner)
    data.payload := Vec(waiting.map(_.payload))(turns.owner)
    for ((one, i) <- waiting.zipWithIndex) one.ready := data.ready && turns.some && turns.owner === i
    manager.r << data.m2sPipe()
  }

  val write = new Area {
    val port = MemoryStripe.port(manager.aw.addr, ports, unit)
    val room = Bool()
    val address = manager.aw.haltWhen(!room)
    private val parts = new Parts(address, memories.toList.map(_.aw), port)
    val data = new OwnerQueue(ports, bursts, address.fire, port, manager.w.fire && manager.w.last)
    val answers = new OwnerQueue(ports, bursts, address.fire, port, manager.b.fire)
    room := data.room && answers.room

    private val halves = memories.map(memory => cloneOf(memory.w))
    for (((memory, half), i) <- memories.zip(halves).zipWithIndex) {
      half.valid := manager.w.valid && data.some && data.owner === i
      half.payload := manager.w.payload
      memory.w << half.m2sPipe()
      memory.b.ready := manager.b.ready && answers.some && answers.owner === i
    }
    manager.w.ready := data.some && Vec(halves.map(_.ready))(data.owner)
    manager.b.valid := answers.some && Vec(memories.map(_.b.valid))(answers.owner)
    manager.b.payload := Vec(memories.map(_.b.payload))(answers.owner)
  }
}

object MemoryStripe {

  /** The configuration of a port, for that of the channel. */
  def config(channel: Axi4Config, ports: Int): Axi4Config =
    channel.copy(addressWidth = channel.addressWidth - log2Up(ports))

  private def number(address: UInt, unit: Int): UInt = address >> log2Up(unit)

  /** The port: the exclusive or of all digits of the unit's number to the base `ports`. So consecutive members of a sequence with a power of two as its
    * stride are spread evenly over the ports.
    */
  def port(address: UInt, ports: Int, unit: Int): UInt = {
    val bits = log2Up(ports)
    val whole = number(address, unit)
    val top = widthOf(whole) - 1
    val pieces = for (low <- 0 to top by bits) yield whole(((low + bits - 1) min top) downto low).resize(bits)
    pieces.reduce(_ ^ _)
  }

  /** The address at the port: the unit's number without its lowest digit, which the port replaces. */
  def inside(address: UInt, ports: Int, unit: Int): UInt =
    (number(address, unit) >> log2Up(ports)) @@ address.resize(log2Up(unit) bits)

  /** The address for a port and an address at it. */
  def address(port: UInt, inside: UInt, ports: Int, unit: Int): UInt = {
    val high = number(inside, unit)
    val lowest = port ^ MemoryStripe.port(high @@ U(0, log2Up(ports * unit) bits), ports, unit)
    (high @@ lowest) @@ inside.resize(log2Up(unit) bits)
  }
}
