package proofmill.arith

import java.nio.file.{Files, Paths}

import proofmill.{Design, RtlTest}
import spinal.core._
import spinal.core.sim._

import scala.util.Random

/** Circuits against integers: many side by side, new operands in every cycle. */
object CircuitTests {
  import RtlTest._

  def all: Seq[RtlTest] = Seq(
    RtlTest("circuit: multipliers by every kind of small plan, every pair of factors")(multipliers()),
    RtlTest("circuit: products of full-size factors and of polynomials")(products()),
    RtlTest("circuit: sums")(sums()),
    RtlTest("circuit: tables")(tables()),
    RtlTest("circuit: a behavioural model is written")(model())
  )

  /** A result of a bench and what it should be for the operands. */
  private case class Checked(name: String, result: Timed[SInt], expected: Seq[BigInt] => BigInt)

  /** Some circuits with common operands. */
  private class Bench(val operands: Seq[Bound])(make: Seq[Timed[SInt]] => Seq[Checked]) extends Component {
    val inputs = operands.map(bound => in(SInt(bound.width bits)))
    val checked = make(inputs.map(Timed(_, 0)))
    val outputs = checked.map(c => out(SInt(c.result.value.getWidth bits)))
    for ((port, c) <- outputs.zip(checked)) port := c.result.value
  }

  private def run(bench: => Bench)(values: Seq[Bound] => Seq[Seq[BigInt]]): Unit = clocked(bench) { dut =>
    val sent = values(dut.operands).toIndexedSeq
    val last = dut.checked.map(_.result.cycle).max
    for (n <- 0 until sent.size + last) {
      for ((port, value) <- dut.inputs.zip(sent(n % sent.size))) port #= value
      dut.clockDomain.waitSampling()
      for ((port, c) <- dut.outputs.zip(dut.checked); at = n - c.result.cycle; if at >= 0 && at < sent.size)
        require(s"${c.name} of ${sent(at)}", port.toBigInt, c.expected(sent(at)))
    }
  }

  private def randomly(times: Int)(operands: Seq[Bound]): Seq[Seq[BigInt]] = {
    val r = random(5)
    Seq.fill(times)(operands.map(SumTests.randomValue(r, _)))
  }

  /** Pair after pair, each through all its values. */
  private def everyPair(operands: Seq[Bound]): Seq[Seq[BigInt]] = {
    def size(bound: Bound) = (bound.high - bound.low + 1).toInt
    val pairs = operands.grouped(2).toSeq
    for (n <- 0 until pairs.map(pair => pair.map(size).product).max)
      yield pairs.flatMap { case Seq(a, b) => Seq(a.low + n % size(a), b.low + n / size(a) % size(b)) }
  }

  private def multipliers(): Unit = {
    val plans = PlanTests.toyPlans(PlanTests.toy) ++ PlanTests.toyPlans(PlanTests.flat)
    val pairs = plans.map(plan => (plan.a, plan.b)).distinct
    run(new Bench(pairs.flatMap { case (a, b) => Seq(a, b) })(inputs =>
      for (plan <- plans; at = 2 * pairs.indexOf((plan.a, plan.b)))
        yield Checked(plan.describe, Multiplier(plan, inputs(at), inputs(at + 1)), v => plan.scale * v(at) * v(at + 1))
    ))(everyPair)
  }

  private def products(): Unit = {
    val bound = Bound.signed(67)
    val plan = PolynomialPlan.best(Seq.fill(3)(bound), Seq.fill(3)(bound))
    val halves = Halves(Plan.best(Bound.signed(201), Bound.signed(201), Price.early), 200, Price.early.pace)
    val wide =
      Plan.best(Bound.signed(201), Bound.signed(134), Price(pace = Pace(chain = 50, levels = 1, joined = true)))
    run(new Bench(Seq.fill(6)(bound))(inputs => {
      val (a, b) = inputs.splitAt(3)
      val coefficients =
        for ((result, k) <- PolynomialMultiplier(plan, a, b).zipWithIndex)
          yield Checked(
            s"coefficient $k",
            result,
            v => (0 to 2).filter(i => k - i >= 0 && k - i <= 2).map(i => v(i) * v(3 + k - i)).sum
          )
      def joined(parts: Seq[Timed[SInt]]) = Timed(Cat(parts.map(_.value)).asSInt, 0)
      def integer(parts: Seq[BigInt]) =
        parts.init.zipWithIndex.map { case (p, i) =>
          (p & ((BigInt(1) << 67) - 1)) << (67 * i)
        }.sum + (parts.last << (67 * (parts.size - 1)))
      val terms = PolynomialMultiplier(halves, Seq(joined(a)), Seq(joined(b))).zip(halves.product).zip(Seq(0, 200))
        .map { case ((half, bound), shift) => Term(half, bound, BigInt(1) << shift) }
      coefficients ++ Seq(
        Checked(
          "201 x 134 bits",
          Multiplier(wide, joined(a), joined(b.take(2))),
          v => integer(v.take(3)) * integer(v.slice(3, 5))
        ),
        Checked(
          "201 x 201 bits in two halves",
          Sum(terms, halves.plan.product),
          v => integer(v.take(3)) * integer(v.drop(3))
        )
      )
    }))(randomly(2000))
  }

  private def sums(): Unit = {
    val r = random(6)
    val bounds = Seq.fill(20)(SumTests.randomBound(r, 40))
    run(new Bench(bounds)(inputs =>
      (0 until 20).flatMap { i =>
        val chosen = Seq.fill(1 + r.nextInt(i + 1))(r.nextInt(bounds.size))
        val terms = chosen.map { at =>
          Term(
            inputs(at),
            bounds(at),
            (BigInt(1 + r.nextInt(3), r) + 1 << r.nextInt(20)) * (if (r.nextBoolean()) 1 else -1)
          )
        }
        val constant = BigInt(r.nextInt(200) - 100)
        val weights = terms.map(t => (t.bound, t.weight))
        val (result, pace) = (SumTests.boundOf(weights, constant), SumTests.pace(r))
        def sum(v: Seq[BigInt]) = chosen.zip(terms).map { case (at, term) => v(at) * term.weight }.sum
        Seq(
          Checked(s"sum $i of $terms and $constant", Sum(terms, result, pace, constant), sum(_) + constant),
          Checked(
            s"the same in a module of its own, without $constant",
            Sum.separate(terms, SumTests.boundOf(weights, 0), pace),
            sum
          )
        )
      }
    ))(randomly(2000))
  }

  private def tables(): Unit = {
    val r = random(7)
    val full = Seq.fill(64)(BigInt(381, r))
    val signed = Seq.fill(21)(BigInt(20, r) - (1 << 19))
    val added = Seq.fill(32)(BigInt(70, r) - (BigInt(1) << 69))
    run(new Bench(Seq(Bound.unsigned(6), Bound(0, 20), Bound.unsigned(5), Bound.signed(70)))({
      case Seq(six, some, five, sum) =>
        def index(x: Timed[SInt], bits: Int) = Timed(x.value(bits - 1 downto 0).asUInt, 0)
        Seq(
          Checked("table of 64", ConstantTable(full, index(six, 6)), v => full(v.head.toInt)),
          Checked("the same again", ConstantTable.now(full, index(six, 6)), v => full(v.head.toInt)),
          Checked("table of 21", ConstantTable(signed, index(some, 5)), v => signed(v(1).toInt)),
          Checked(
            "table and sum",
            ConstantTable.add(added, index(five, 5), sum, Bound.signed(72)),
            v => added(v(2).toInt) + v(3)
          )
        )
    }))(randomly(1000))
  }

  /** The files of a behavioural model; the units' tests compare its results with those of the circuit. */
  private def model(): Unit = {
    val folder = Paths.get("target/rtl-tests/twin").toAbsolutePath
    val function =
      ModelFunction("add_mod_2_70", Seq(70, 70), 70, "store(out, 0, 70, load<2>(in0, 0, 70) + load<2>(in1, 0, 70));")
    class Top extends Component {
      val a, b = in(Bits(70 bits))
      for (latency <- Seq(1, 5))
        out(Bits(70 bits)) := BehaviouralModel(function, latency, Timed(a, 0), Timed(b, 0)).value
    }
    Design.config(folder.toString).generateVerilog(new Top)
    val text = Files.readString(folder.resolve("Top.v"))
    require("twins", Seq(1, 5).map(latency => text.split(s"module add_mod_2_70_twin$latency ").length), Seq(2, 2))
    require("files", Seq("add_mod_2_70.cpp", "wide.h").forall(name => Files.exists(folder.resolve(name))), true)
  }
}
