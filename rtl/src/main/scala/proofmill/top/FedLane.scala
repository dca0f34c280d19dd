package proofmill.top

import proofmill.field.Arithmetic
import proofmill.micro.{Image, ItemList, JobPorts, Lane}
import proofmill.stream.{Port, StreamUnit}
import spinal.core._
import spinal.lib._

/** A lane with items as additional operands of its jobs, to test it without the unit that computes items.
  *
  * The items are written one position each cycle, whether or not there are any; then the next job enters.
  */
class FedLane(jobPorts: JobPorts, arithmetic: Arithmetic, image: Image, contexts: Int, trace: Boolean)
    extends StreamUnit {
  private def plain = jobPorts.operands(image, arithmetic.field)
  private def itemPorts = jobPorts.lists.map(list => Port(list.name, FedLane.itemBits(list), list.items))
  private def sizePorts = jobPorts.lists.map(list => Port(s"${list.name}_size", log2Up(list.items + 1)))
  private def flagPorts = if (jobPorts.feedFlags.isEmpty) Seq.empty else Seq(Port("given", jobPorts.feedFlags.size))

  def operands: Seq[Port] = plain ++ itemPorts ++ sizePorts ++ flagPorts
  def results: Seq[Port] = jobPorts.results(arithmetic.field)
  def latency: Option[Int] = None

  private val lane = new Lane(jobPorts, arithmetic, image, contexts)
  if (trace) lane.rework(lane.trace(1, 0))
  io.out << lane.io.out

  private val last = jobPorts.lists.map(_.items).max - 1
  private val feeding = RegInit(False)
  private val place = Reg(UInt(log2Up(last + 1) bits))
  private val context = Reg(UInt(log2Up(contexts) bits))
  lane.io.in << io.in.haltWhen(feeding).translateWith(io.in.payload.takeLow(plain.map(_.bits).sum))

  private val parts = {
    val ports = itemPorts ++ sizePorts ++ flagPorts
    val starts = ports.map(_.bits).scanLeft(plain.map(_.bits).sum)(_ + _)
    ports.zip(starts).map { case (port, from) => io.in.payload(from, port.bits bits) }
  }
  private val rest = parts.map(part => Reg(Bits(part.getWidth bits)))
  when(feeding) {
    place := place + 1
    for (list <- jobPorts.lists.indices) rest(list) := (rest(list) >> itemPorts(list).width).resized
    when(place === last)(feeding := False)
  }
  when(lane.io.begun.valid) {
    feeding := True
    place := 0
    context := lane.io.begun.payload
    for ((register, part) <- rest.zip(parts)) register := part
  }
  for (((list, write), words) <- jobPorts.lists.zip(lane.io.items).zip(rest)) {
    write.valid := feeding && place < list.items
    write.context := context
    write.place := place.resized
    write.item.assignFromBits(words.takeLow(FedLane.itemBits(list)))
  }
  lane.io.fed.valid := feeding && place === last
  lane.io.fed.context := context
  lane.io.fed.sizes := Vec(rest.slice(jobPorts.lists.size, 2 * jobPorts.lists.size).map(_.asUInt))
  lane.io.fed.flags := (if (flagPorts.isEmpty) B(0, 0 bits) else rest.last)
}

object FedLane {
  private def itemBits(list: ItemList): Int = log2Up(list.magnitudes) + 1 + log2Up(list.counts)

  /** Returns the cycles from a job's start until it accepts items, and until the next job can enter. */
  def cycles(jobPorts: JobPorts): Int = jobPorts.lists.map(_.items).max + 1
}
