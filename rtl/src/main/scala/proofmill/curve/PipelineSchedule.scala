package proofmill.curve

/** A dataflow with the cycle in which each of its operations starts: everything that is to be known of a full-rate
  * pipeline before there is hardware.
  *
  * Inputs are there in cycle 0, outputs all in cycle `latency`, and a new set of inputs may come in every cycle, since
  * every operation has a unit of its own. Between its making and its readings a value waits in delay registers, which
  * all readers share; operations that nobody waits for start when that needs the fewest of them ([[Slack]]).
  */
case class PipelineSchedule(dataflow: Dataflow, starts: Map[String, Int], latency: Int) {
  private val last: Map[String, Int] = {
    val reads = dataflow.operations.flatMap(op => op.operands.map(_ -> starts(op.result)))
    (reads ++ dataflow.outputs.map(_._2 -> latency)).groupMapReduce(_._1)(_._2)(_ max _)
  }

  def start(op: Operation): Int = starts(op.result)

  /** The cycle in which a value is there. */
  def ready(value: String): Int =
    dataflow.operations.find(_.result == value).fold(0)(op => start(op) + dataflow.latency(op.unit))

  /** Cycles for which a value waits for its last reader. */
  def held(value: String): Int = last.get(value).fold(0)(_ - ready(value))

  /** Bits of delay registers that a value waits in. */
  def registerBits(value: String): Int = dataflow.width(value) * held(value)

  val values: Seq[String] = dataflow.formula.inputs ++ dataflow.operations.map(_.result)

  /** Bits of all delay registers between the units; those inside of units are not among them. */
  lazy val registerBits: Int = values.map(registerBits).sum
}

object PipelineSchedule {

  /** Every operation as soon as its operands are there. */
  def earliest(dataflow: Dataflow): PipelineSchedule = schedule(dataflow, Slack.earliest)

  /** The same latency with the fewest bits of delay registers. */
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
