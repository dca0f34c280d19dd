package proofmill.arith

import proofmill.RtlTest

import scala.util.Random

/** Sums: the plans on integers, and small ones as circuits. */
object SumTests {
  import RtlTest._

  def all: Seq[RtlTest] = Seq(
    RtlTest("sum: non-adjacent forms of integers")(nonAdjacent()),
    RtlTest("sum: every value of tiny sums")(tiny()),
    RtlTest("sum: random plans, random and extreme values")(randomPlans())
  )

  private def nonAdjacent(): Unit = for (k <- -300 to 300) {
    val form = NonAdjacent(k)
    require(s"$k", form.map { case (shift, negative) => (if (negative) -1 else 1) << shift }.sum, k)
    val shifts = form.map(_._1)
    require(s"neighbours in $k", shifts.zip(shifts.drop(1)).forall { case (low, high) => high - low >= 2 }, true)
  }

  /** The narrowest bound of a sum. */
  def boundOf(terms: Seq[(Bound, BigInt)], constant: BigInt): Bound =
    terms.map { case (bound, weight) => bound * weight }.foldLeft(Bound(constant, constant))(_ + _)

  private def tiny(): Unit = for {
    bounds <- Seq(Seq((-2, 1), (-1, 2)), Seq((0, 3), (0, 1), (-3, 0)), Seq((0, 1), (-1, 0), (0, 1), (-2, 1)))
    weights <- Seq.fill(bounds.size)(Seq(-3, -1, 1, 2)).foldLeft(Seq(Seq.empty[Int]))((all, w) =>
      all.flatMap(a => w.map(a :+ _))
    )
    constant <- Seq(0, 1, -5)
  } {
    val terms = bounds.map { case (low, high) => Bound(low, high) }.zip(weights.map(BigInt(_)))
    val paces = Seq(false, true).map(flat => Pace(chain = 2, levels = 1, flat = flat))
    val plans = paces.map(SumPlan(terms, boundOf(terms, constant), constant, _))
    val operands = terms.map(_._1).foldLeft(Seq(Seq.empty[BigInt])) { (all, b) =>
      all.flatMap(a => (b.low to b.high).map(a :+ _))
    }
    for (plan <- plans; values <- operands) check(plan, values)
  }

  private def check(plan: SumPlan, values: Seq[BigInt]): Unit =
    require(
      s"$plan of $values",
      plan.evaluate(values),
      values.zip(plan.terms).map { case (v, (_, w)) => v * w }.sum + plan.constant
    )

  def randomBound(r: Random, bits: Int): Bound = {
    val size = 1 + r.nextInt(bits)
    def value() = BigInt(size, r)
    r.nextInt(4) match {
      case 0 => Bound.unsigned(size)
      case 1 => Bound.signed(size)
      case 2 => Bound(-value(), value())
      case _ => val (x, y) = (value() - value(), value()); Bound(x, x + y)
    }
  }

  def pace(r: Random): Pace =
    Pace(5 + r.nextInt(40), 1 + r.nextInt(3), r.nextBoolean(), r.nextBoolean(), r.nextBoolean())

  /** A value at or near the ends of a bound, or anywhere. */
  def randomValue(r: Random, bound: Bound): BigInt = {
    val size = bound.high - bound.low
    r.nextInt(6) match {
      case 0 => bound.low
      case 1 => bound.high
      case 2 => bound.low + (size min r.nextInt(3))
      case 3 => BigInt(0) max bound.low min bound.high
      case _ => bound.low + BigInt(size.bitLength + 8, r).mod(size + 1)
    }
  }

  private def randomPlans(): Unit = {
    val r = random(1)
    for (_ <- 0 until 500) {
      val terms = Seq.fill(1 + r.nextInt(if (r.nextInt(10) == 0) 40 else 9)) {
        val weight = BigInt(1 + r.nextInt(3), r) + 1 << r.nextInt(30)
        (randomBound(r, 40), if (r.nextBoolean()) weight else -weight)
      }
      val constant = if (r.nextBoolean()) BigInt(0) else BigInt(20, r) - (1 << 19)
      val result = boundOf(terms, constant)
      val plan = SumPlan(terms, result, constant, pace(r))
      for (_ <- 0 until 10) check(plan, terms.map(t => randomValue(r, t._1)))
    }
  }
}
