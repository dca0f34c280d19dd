package proofmill.curve

import proofmill.field.Bound

/** A schedule as text: who does what and when, for people. */
object ScheduleText {

  /** Every value with its unit, what it reads and how long that has waited, its bound, and its delay registers.
    *
    * Bounds are in units of the largest digit of a multiplication's result.
    */
  def values(schedule: Schedule): String = {
    val program = schedule.program
    val inputs = program.formula.inputs.map { in =>
      val bound = program.inputs.get(in).fold("0, 1")(show(program, _))
      Seq("", "", in, "input", "", bound, waiting(schedule, in))
    }
    val operations = program.operations.sortBy(op => (schedule.start(op), schedule.ready(op.result))).map { op =>
      val reads = op.operands.map { operand =>
        val waited = schedule.start(op) - schedule.ready(operand)
        if (waited == 0) operand else s"$operand+$waited"
      }
      val times = Seq(schedule.start(op), schedule.ready(op.result)).map(_.toString)
      times ++ Seq(op.result, unit(op.unit), reads.mkString(" "), show(program, op.bound), waiting(schedule, op.result))
    }
    columns(Seq("start", "ready", "value", "unit", "reads", "bound", "register bits") +: (inputs ++ operations))
  }

  /** The steps of the pipeline: what starts in each cycle, a column for each kind of unit. */
  def steps(schedule: Schedule): String = {
    val kinds = Seq("multiplier", "adder", "reduction", "wiring")
    val rows = schedule.program.operations.groupBy(schedule.start).toSeq.sortBy(_._1).map { case (cycle, started) =>
      cycle.toString +: kinds.map(wanted => started.filter(op => kind(op.unit) == wanted).map(_.result).mkString(" "))
    }
    columns(("cycle" +: kinds) +: rows)
  }

  def summary(schedule: Schedule): String = {
    val program = schedule.program
    val adders = program.count(kind(_) == "adder")
    val asap = Schedule.earliest(program).registerBits
    s"${program.formula.name}: ${program.multiplications} multipliers, $adders adders, ${program.reductions} reductions, " +
      s"latency ${schedule.latency}, ${schedule.registerBits} bits of delay registers ($asap with every operation as early as possible)"
  }

  private def waiting(schedule: Schedule, value: String): String = schedule.held(value) match {
    case 0    => ""
    case held => s"${schedule.program.width(value)} x $held"
  }

  private def kind(unit: Unit): String = unit match {
    case Unit.Mul | Unit.Square | Unit.MulBy(_)             => "multiplier"
    case Unit.Reduce                                        => "reduction"
    case Unit.Gate                                          => "wiring"
    case Unit.Scale(k) if Integer.bitCount(k) == 1 && k > 0 => "wiring"
    case _                                                  => "adder"
  }

  private def unit(unit: Unit): String = unit match {
    case Unit.Scale(factor) => s"$factor *"
    case other              => other.name
  }

  private def show(program: Program, bound: Bound): String = {
    val one = BigDecimal(program.terms.product.high)
    Seq(bound.low, bound.high).map(n => (BigDecimal(n) / one).setScale(1, BigDecimal.RoundingMode.HALF_UP)).mkString(
      ", "
    )
  }

  private def columns(rows: Seq[Seq[String]]): String = {
    val widths = rows.transpose.map(_.map(_.length).max)
    rows.map(_.zip(widths).map { case (cell, width) => cell.padTo(width, ' ') }.mkString("  ").stripTrailing).mkString(
      "\n"
    )
  }
}
