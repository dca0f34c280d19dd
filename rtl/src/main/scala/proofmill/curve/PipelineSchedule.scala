package proofmill.curve

/** A dataflow with the start cycle of each operation: all properties of a full-rate pipeline before hardware exists.
  *
  * Inputs are valid in cycle 0 and all outputs in cycle `latency`. Every operation has a unit of its own, so new inputs can
  * be accepted in every cycle. Between its computation and its last use, a value waits in delay registers, which all readers
  * share. Operations with slack start when this needs the fewest registers ([[Slack]]).
  */
case class PipelineSchedule(dataflow: Dataflow, starts: Map[String, Int], latency: Int) {
  private val last: Map[String, Int] = {
    val reads = dataflow.operations.flatMap(op => op.operands.map(_ -> starts(op.result)))
    (reads ++ dataflow.outputs.map(_._2 -> latency)).groupMapReduce(_._1)(_._2)(_ max _)
  }

  def start(op: Operation): Int = starts(op.result)

  /** Returns the cycle in which a value is valid. */
  def ready(value: String): Int =
    dataflow.operations.find(_.result == value).fold(0)(op => start(op) + dataflow.latency(op.unit))

  /** Returns the cycles from a value's computation to its last use. */
  def held(value: String): Int = last.get(value).fold(0)(_ - ready(value))

  /** Returns the number of delay register bits of a value. */
  def registerBits(value: String): Int = dataflow.width(value) * held(value)

  val values: Seq[String] = dataflow.formula.inputs ++ dataflow.operations.map(_.result)

  /** Bits of all delay registers between the units; registers inside units are not included. */
  lazy val registerBits: Int = values.map(registerBits).sum
}

object PipelineSchedule {

  /** Schedules every operation as soon as its operands are valid (ASAP). */
  def earliest(dataflow: Dataflow): PipelineSchedule = schedule(dataflow, Slack.earliest)

  /** Schedules with the same latency and the fewest bits of delay registers. */
  def apply(dataflow: Dataflow): PipelineSchedule = schedule(dataflow, Slack.fewestRegisters)

  private def schedule(dataflow: Dataflow, choose: Seq[Slack.Step] => Seq[Int]): PipelineSchedule = {
    val inputs = dataflow.formula.inputs
    val names = inputs ++ dataflow.operations.map(_.result)
    val position = names.zipWithIndex.toMap
    val kept = dataflow.outputs.map(_._2).toSet
    def step(name: String, reads: Seq[String], latency: Int) =
      Slack.Step(reads.map(position), latency, dataflow.width(name), kept(name))
    val steps = inputs.map(step(_, Seq.empty, 0)) ++
      dataflow.operations.map(op => step(op.result, op.operands, dataflow.latency(op.unit)))
    val starts = choose(steps)
    PipelineSchedule(dataflow, names.zip(starts).drop(inputs.size).toMap, Slack.end(steps, starts))
  }
}
