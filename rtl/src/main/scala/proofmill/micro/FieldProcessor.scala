package proofmill.micro

import proofmill.field.Arithmetic
import proofmill.stream.{Port, StreamUnit}
import spinal.core._
import spinal.lib._

/** The field processor: jobs are dealt to its lanes in turn, and their answers are taken in the same turn.
  *
  * A job names a program and brings its operands. The lanes share nothing else, so a program's words and its time are
  * the same for any number of multipliers. `docs/rtl/microcode.md` has the drawing and the instruction word.
  *
  * @param contexts how many jobs are under way at once for each multiplier, a power of two
  * @param trace whether a simulation prints each register that is written; nothing else changes
  */
class FieldProcessor(
    door: JobDoor,
    arithmetic: Arithmetic,
    image: Image,
    multipliers: Int,
    contexts: Int,
    trace: Boolean = false
) extends StreamUnit {
  require(multipliers >= 1 && isPow2(multipliers), s"$multipliers multipliers are not a power of two")

  def operands: Seq[Port] = door.operands(image, arithmetic.field)
  def results: Seq[Port] = door.results(arithmetic.field)
  def latency: Option[Int] = None

  private val lanes = Seq.fill(multipliers)(new Lane(door, arithmetic, image, contexts))
  if (trace) lanes.zipWithIndex.foreach { case (lane, i) => lane.rework(lane.trace(multipliers, i)) }

  require(door.lists.isEmpty, "nobody here feeds items")
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
