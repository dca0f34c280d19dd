package proofmill.curve

/** A program with the cycle in which each of its operations starts: everything that is to be known of a full-rate
  * pipeline before there is hardware.
  *
  * Inputs are there in cycle 0, outputs all in cycle `latency`, and a new set of inputs may come in every cycle, since
  * every operation has a unit of its own. Between its making and its readings a value waits in delay registers, which
  * all readers share; operations that nobody waits for start when that needs the fewest of them ([[Slack]]).
  */
case class Schedule(program: Program, starts: Map[String, Int], latency: Int) {
  private val last: Map[String, Int] = {
    val reads = program.operations.flatMap(op => op.operands.map(_ -> starts(op.result)))
    (reads ++ program.outputs.map(_._2 -> latency)).groupMapReduce(_._1)(_._2)(_ max _)
  }

  def start(op: Operation): Int = starts(op.result)

  /** The cycle in which a value is there. */
  def ready(value: String): Int =
    program.operations.find(_.result == value).fold(0)(op => start(op) + program.latency(op.unit))

  /** Cycles for which a value waits for its last reader. */
  def held(value: String): Int = last.get(value).fold(0)(_ - ready(value))

  /** Bits of delay registers that a value waits in. */
  def registerBits(value: String): Int = program.width(value) * held(value)

  val values: Seq[String] = program.formula.inputs ++ program.operations.map(_.result)

  /** Bits of all delay registers between the units; those inside of units are not among them. */
  lazy val registerBits: Int = values.map(registerBits).sum
}

object Schedule {

  /** Every operation as soon as its operands are there. */
  def earliest(program: Program): Schedule = schedule(program, Slack.earliest)

  /** The same latency with the fewest bits of delay registers. */
  def apply(program: Program): Schedule = schedule(program, Slack.fewestRegisters)

  private def schedule(program: Program, choose: Seq[Slack.Step] => Seq[Int]): Schedule = {
    val inputs = program.formula.inputs
    val names = inputs ++ program.operations.map(_.result)
    val position = names.zipWithIndex.toMap
    val kept = program.outputs.map(_._2).toSet
    def step(name: String, reads: Seq[String], latency: Int) =
      Slack.Step(reads.map(position), latency, program.width(name), kept(name))
    val steps = inputs.map(step(_, Seq.empty, 0)) ++
      program.operations.map(op => step(op.result, op.operands, program.latency(op.unit)))
    val starts = choose(steps)
    Schedule(program, names.zip(starts).drop(inputs.size).toMap, Slack.end(steps, starts))
  }
}
