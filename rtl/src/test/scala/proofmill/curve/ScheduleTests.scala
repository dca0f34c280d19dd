package proofmill.curve

import proofmill.RtlTest
import proofmill.RtlTest.require
import proofmill.field.Bound
import proofmill.spec.{Curve, Field, Formula}

import scala.util.{Failure, Random, Success, Try}

/** Schedules as data: what they compute, what they promise, when, and that no others of the same latency are cheaper. */
object ScheduleTests {
  private val field = Field("toy_fp")

  /** An arithmetic that exists only on paper: a residue is one integer that may be negative. */
  private val roomy = terms(factor = 400, reducible = 100000)
  private val tight = terms(factor = 130, reducible = 100000)

  private def terms(factor: Int, reducible: Int) = Terms(
    digits = 1,
    factor = Bound.magnitude(factor),
    product = Bound(-20, 100),
    reducible = Bound.magnitude(reducible),
    reduced = Bound(-10, 110),
    mulLatency = 7,
    addLatency = 2,
    reduceLatency = 3,
    scaleLatency = k => if (k > 0 && Integer.bitCount(k) == 1) 0 else 2
  )

  def all: Seq[RtlTest] = Seq(
    RtlTest("curve: every formula's dataflow computes the formula within its bounds")(dataflowsCompute()),
    RtlTest("curve: a value beyond every reduction stops with its line's name")(faultsAreNamed()),
    RtlTest("curve: nothing starts before its operands are there, and the longest way sets the latency")(causality()),
    RtlTest("curve: no choice of starts needs fewer register bits")(fewestRegisters()),
    RtlTest("curve: sums fit where they are fed back")(feedbackFits())
  )

  /** Formulas over any ring, whose letters may be elements of a prime field. */
  private def formulas = Formula.names.map(Formula(_)).filter(_.over.isEmpty)

  private def dataflowsCompute(): scala.Unit = {
    val random = RtlTest.random(1)
    for (formula <- formulas; terms <- Seq(roomy, tight); round <- 0 until 50) {
      val bits = if (formula.name == "rcb_madd_z01") Set("Z2") else Set.empty[String]
      val constants = formula.constants.map(_ -> BigInt(2 + random.nextInt(95))).toMap
      val dataflow = Dataflow(formula, terms, field.modulus, constants, bits)
      val inputs =
        formula.inputs.map(in => in -> (if (bits(in)) BigInt(random.nextInt(2)) else draw(terms.product, random)))
      val values = run(dataflow, inputs.toMap, random)
      val expected = formula.evaluate(field, inputs.toMap ++ constants)
      require(formula.name, dataflow.outputs.map { case (_, value) => field.residue(values(value)) }, expected)
    }
  }

  /** The dataflow on integers: every multiplication and reduction gives any integer it may give. */
  private def run(dataflow: Dataflow, inputs: Map[String, BigInt], random: Random): Map[String, BigInt] =
    dataflow.operations.foldLeft(inputs) { (known, op) =>
      val Seq(a, b) = (op.operands.map(known) :+ BigInt(0)).take(2)
      def any(value: BigInt, bound: Bound) = congruent(value, bound, random)
      def demanded(values: BigInt*) = for (v <- values)
        require(s"${op.result}: $v within a factor's bound", Bound(v, v).within(dataflow.terms.factor), true)
      val value = op.unit match {
        case Unit.Mul | Unit.Square => demanded(a, b); any(a * b, dataflow.terms.product)
        case Unit.MulBy(c)          => demanded(a); any(a * c, dataflow.terms.product)
        case Unit.Reduce            => any(a, dataflow.terms.reduced)
        case Unit.Add               => a + b
        case Unit.Sub               => a - b
        case Unit.Neg               => -a
        case Unit.Scale(k)          => a * k
        case Unit.Gate              => if (a == 1) b else BigInt(0)
      }
      require(s"${op.result} = $value within ${op.bound}", Bound(value, value).within(op.bound), true)
      known + (op.result -> value)
    }

  private def draw(bound: Bound, random: Random): BigInt =
    bound.low + random.nextInt((bound.high - bound.low).toInt + 1)

  /** Returns a random integer within the bound with the same residue, often one near an end. */
  private def congruent(value: BigInt, bound: Bound, random: Random): BigInt = {
    val least = bound.low + field.residue(value - bound.low)
    val more = ((bound.high - least) / field.modulus).toInt
    least + field.modulus * Seq(0, more, random.nextInt(more + 1))(random.nextInt(3))
  }

  private def faultsAreNamed(): scala.Unit = {
    def outcome(reducible: Int, lines: String*) = {
      val inputs = Seq("a", "b", "z").filter(in => lines.exists(_.split(" ").contains(in)))
      val text = Seq("formula f", "source none", s"inputs ${inputs.mkString(" ")}", "outputs c") ++ lines
      Try(Dataflow(Formula.parse("f", text), terms(factor = 120, reducible), field.modulus, bits = Set("z")))
    }
    def stops(expected: String, lines: String*) = outcome(reducible = 200, lines: _*) match {
      case Success(_) => throw new AssertionError(s"$lines does not stop")
      case Failure(found) =>
        require(s"'${found.getMessage}' says '$expected'", found.getMessage.contains(expected), true)
    }
    require(
      "one reduction serves two readers",
      outcome(200, "x = a + b", "y = x * x", "v = x * b", "c = y + v").get.reductions,
      1
    )
    stops("line y: is Bound(-20,220) even of reduced operands", "x = a + b", "y = x + x", "c = y * b")
    stops("line x: is Bound(-40,440) even of a reduced operand", "x = 4 * a", "y = x * x", "c = y + b")
    stops("line c: the bit z", "c = a + z")
    stops("line c: the bit z", "c = 4 * z")
    stops("line c: 1 a is no new value", "c = 1 * a")
  }

  private def causality(): scala.Unit =
    for (formula <- formulas; terms <- Seq(roomy, tight)) {
      val dataflow = Dataflow(formula, terms, field.modulus, formula.constants.map(_ -> BigInt(12)).toMap)
      val schedules = Seq(PipelineSchedule.earliest(dataflow), PipelineSchedule(dataflow))
      for (schedule <- schedules) {
        for (op <- dataflow.operations; operand <- op.operands)
          require(
            s"${formula.name}: ${op.result} waits for $operand",
            schedule.start(op) >= schedule.ready(operand),
            true
          )
        for ((_, value) <- dataflow.outputs)
          require(s"${formula.name}: $value is there at the end", schedule.ready(value) <= schedule.latency, true)
      }
      require(s"latency of ${formula.name}", schedules.last.latency, schedules.head.latency)
      require(s"registers of ${formula.name}", schedules.last.registerBits <= schedules.head.registerBits, true)
    }

  /** Small random dataflows against all choices of starts that there are. */
  private def fewestRegisters(): scala.Unit = {
    val random = RtlTest.random(2)
    for (round <- 0 until 300) {
      val inputs = Seq.fill(2)(Slack.Step(Seq.empty, 0, 1 + random.nextInt(9), output = false))
      val made = (2 until 6).map { i =>
        val reads = Seq.fill(1 + random.nextInt(2))(random.nextInt(i))
        Slack.Step(reads, random.nextInt(3), 1 + random.nextInt(9), output = i == 5 || random.nextInt(4) == 0)
      }
      val read = made.flatMap(_.reads).toSet
      val steps = inputs ++ made.zipWithIndex.map { case (step, i) => step.copy(output = step.output || !read(i + 2)) }
      val end = Slack.end(steps, Slack.earliest(steps))
      val least = everyStart(steps, end).map(Slack.cost(steps, _, end)).min
      require(s"bits for $steps", Slack.cost(steps, Slack.fewestRegisters(steps), end), least)
    }
  }

  /** All starts with which outputs come in time. */
  private def everyStart(steps: Seq[Slack.Step], end: Int): Iterator[Vector[Int]] =
    steps.foldLeft(Iterator(Vector.empty[Int])) { (choices, step) =>
      choices.flatMap { starts =>
        val first = step.reads.map(i => starts(i) + steps(i).latency).maxOption
        first.fold(Iterator(0))(from => (from to end).iterator).map(starts :+ _)
      }
    }.filter(starts => steps.indices.forall(i => !steps(i).output || starts(i) + steps(i).latency <= end))

  private def feedbackFits(): scala.Unit =
    for (
      name <- Seq("toy", "bn254", "bls12_381"); curve = Curve(name);
      make <- Seq(PointAdder.mixed _, PointAdder.general _)
    ) {
      val adder = make(curve)
      val p = curve.baseField.modulus
      for (room <- Seq(2, 3, 8)) {
        val paper = roomy.copy(
          factor = Bound.magnitude(room * p),
          product = Bound.magnitude(p),
          reducible = Bound.magnitude(99 * p),
          reduced = Bound.magnitude(p)
        )
        val dataflow = adder.schedule(paper).dataflow
        for ((in, out) <- adder.feedback)
          require(
            s"$name: $out into $in",
            dataflow.bound(dataflow.outputs.toMap.apply(out)).within(dataflow.inputs(in)),
            true
          )
      }
    }
}
