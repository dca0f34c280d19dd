package proofmill.micro

import proofmill.field.Arithmetic
import proofmill.stream.{Port, StreamUnit}
import spinal.core._
import spinal.lib._

/** The field processor: distributes jobs to its lanes round robin, and collects their results in the same order.
  *
  * A job has a program and operands. The lanes are independent, so the words and the latency of a program are the same for
  * any number of multipliers. `docs/rtl/microcode.md` shows the block diagram and the instruction word.
  *
  * @param contexts number of jobs in flight in each lane, a power of two
  * @param trace simulations print each register that is written; the circuit is the same
  */
class FieldProcessor(
    ports: JobPorts,
    arithmetic: Arithmetic,
    image: Image,
    multipliers: Int,
    contexts: Int,
    trace: Boolean = false
) extends StreamUnit {
  require(multipliers >= 1 && isPow2(multipliers), s"$multipliers multipliers are not a power of two")

  def operands: Seq[Port] = ports.operands(image, arithmetic.field)
  def results: Seq[Port] = ports.results(arithmetic.field)
  def latency: Option[Int] = None

  private val lanes = Seq.fill(multipliers)(new Lane(ports, arithmetic, image, contexts))
  if (trace) lanes.zipWithIndex.foreach { case (lane, i) => lane.rework(lane.trace(multipliers, i)) }

  require(ports.lists.isEmpty, "nobody here feeds items")
  for (lane <- lanes) {
    lane.io.fed.valid := False
    lane.io.fed.payload.assignDontCare()
  }

  if (multipliers == 1) {
    lanes.head.io.in << io.in
    io.out << lanes.head.io.out
  } else {
    val into, from = Counter(multipliers)
    when(io.in.fire)(into.increment())
    when(io.out.fire)(from.increment())
    for ((lane, in) <- lanes.zip(StreamDemux(io.in, into.value, multipliers))) lane.io.in << in
    io.out << StreamMux(from.value, lanes.map(_.io.out))
  }
}
