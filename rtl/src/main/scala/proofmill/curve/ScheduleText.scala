package proofmill.curve

import proofmill.field.Bound

/** A schedule as text: the unit and the cycles of each value. */
object ScheduleText {

  /** Returns a table of all values: the unit, the operands with their waiting cycles, the bound, and the delay registers.
    *
    * Bounds are in units of the largest digit of a multiplication's result.
    */
  def values(schedule: PipelineSchedule): String = {
    val dataflow = schedule.dataflow
    val inputs = dataflow.formula.inputs.map { in =>
      val bound = dataflow.inputs.get(in).fold("0, 1")(show(dataflow, _))
      Seq("", "", in, "input", "", bound, waiting(schedule, in))
    }
    val operations = dataflow.operations.sortBy(op => (schedule.start(op), schedule.ready(op.result))).map { op =>
      val reads = op.operands.map { operand =>
        val waited = schedule.start(op) - schedule.ready(operand)
        if (waited == 0) operand else s"$operand+$waited"
      }
      val times = Seq(schedule.start(op), schedule.ready(op.result)).map(_.toString)
      times ++ Seq(
        op.result,
        unit(op.unit),
        reads.mkString(" "),
        show(dataflow, op.bound),
        waiting(schedule, op.result)
      )
    }
    columns(Seq("start", "ready", "value", "unit", "reads", "bound", "register bits") +: (inputs ++ operations))
  }

  /** Returns a table of the operations that start in each cycle, with one column for each kind of unit. */
  def steps(schedule: PipelineSchedule): String = {
    val kinds = Seq("multiplier", "adder", "reduction", "wiring")
    val rows = schedule.dataflow.operations.groupBy(schedule.start).toSeq.sortBy(_._1).map { case (cycle, started) =>
      cycle.toString +: kinds.map(wanted => started.filter(op => kind(op.unit) == wanted).map(_.result).mkString(" "))
    }
    columns(("cycle" +: kinds) +: rows)
  }

  def summary(schedule: PipelineSchedule): String = {
    val dataflow = schedule.dataflow
    val adders = dataflow.count(kind(_) == "adder")
    val asap = PipelineSchedule.earliest(dataflow).registerBits
    s"${dataflow.formula.name}: ${dataflow.multiplications} multipliers, $adders adders, ${dataflow.reductions} reductions, " +
      s"latency ${schedule.latency}, ${schedule.registerBits} bits of delay registers ($asap with every operation as early as possible)"
  }

  private def waiting(schedule: PipelineSchedule, value: String): String = schedule.held(value) match {
    case 0    => ""
    case held => s"${schedule.dataflow.width(value)} x $held"
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

  private def show(dataflow: Dataflow, bound: Bound): String = {
    val one = BigDecimal(dataflow.terms.product.high)
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
