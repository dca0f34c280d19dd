package proofmill.field

import proofmill.arith._
import spinal.core._

/** One step of a reduction: a map of integer vectors that preserves their value modulo p. */
trait Step {
  def plan(xs: Seq[Ready]): Seq[Ready]
  def build(xs: Seq[Number]): Seq[Number]

  /** Returns the names of C++ variables that hold the results for the variables `xs`. */
  def model(xs: Seq[(String, Bound)], cpp: ModelText): Seq[String]

  /** Returns the cost of the adders of a combination in LUTs. */
  def adderLuts(xs: Seq[Bound]): Int = 0
}

/** Replaces every integer by some parts of itself. */
case class Expand(parts: Seq[Seq[Part]]) extends Step {
  def plan(xs: Seq[Ready]): Seq[Ready] = xs.zip(parts).flatMap { case (x, some) => some.map(_.plan(x)) }
  def build(xs: Seq[Number]): Seq[Number] = xs.zip(parts).flatMap { case (x, some) =>
    if (some.forall(_.isInstanceOf[Slice])) some.map(_.build(x))
    else {
      val unit = new PartsUnit(x.bound, some)
      unit.io.x := x.bits
      unit.results.zip(unit.planned).map { case (bits, ready) =>
        Number(Timed(bits, x.value.cycle + ready.cycle), ready.bound)
      }
    }
  }
  def model(xs: Seq[(String, Bound)], cpp: ModelText): Seq[String] =
    xs.zip(parts).flatMap { case ((x, bound), some) => some.map(_.model(x, bound, cpp)) }
}

/** Replaces the integers by sums with constant weights: one row of `weights` for each result. */
case class Combination(weights: Seq[Seq[BigInt]], pace: Pace) extends Step {
  def plan(xs: Seq[Ready]): Seq[Ready] = weights.map(row => Combine.plan(xs.zip(row), pace))
  def build(xs: Seq[Number]): Seq[Number] = weights.map(row => Combine.build(xs.zip(row), pace))
  def model(xs: Seq[(String, Bound)], cpp: ModelText): Seq[String] =
    weights.map(row => Combine.model(xs.map(_._1).zip(row), cpp))
  override def adderLuts(xs: Seq[Bound]): Int = weights.map(row => Combine.luts(xs.zip(row), pace)).sum
}

/** The parts of one integer as a component. Equal ones share one module. */
class PartsUnit(bound: Bound, parts: Seq[Part]) extends Component {
  val planned: Seq[Ready] = parts.map(_.plan(Ready(bound, 0)))
  val io = new Bundle {
    val x = in(Bits(bound.width bits)) // integer
  }

  /** The parts; `results(i)` is valid `planned(i).cycle` cycles after `x`. */
  val results = planned.zipWithIndex.map { case (ready, i) => out(SInt(ready.bound.width bits)).setName(s"io_part$i") }

  for ((part, result) <- parts.zip(results))
    result := part.build(Number(Timed(io.x.asSInt, 0), bound)).value.value.resized
}

/** Steps from the coefficients of a product, or the digits of a sum, to digits within narrower bounds. */
case class Reduction(steps: Seq[Step]) {
  def plan(xs: Seq[Ready]): Seq[Ready] = steps.foldLeft(xs)((now, step) => step.plan(now))
  def build(xs: Seq[Number]): Seq[Number] = steps.foldLeft(xs)((now, step) => step.build(now))

  /** Returns the interval of all digits of the results for operands within `bounds`. */
  def result(bounds: Seq[Bound]): Bound = {
    val digits = plan(bounds.map(Ready(_, 0))).map(_.bound)
    Bound(digits.map(_.low).min, digits.map(_.high).max)
  }

  def adderLuts(bounds: Seq[Bound]): Int = {
    val before = steps.scanLeft(bounds.map(Ready(_, 0)))((now, step) => step.plan(now))
    steps.zip(before).map { case (step, xs) => step.adderLuts(xs.map(_.bound)) }.sum
  }

  /** Returns the cycle in which all results are valid, given the cycles of the operands. */
  def latency(xs: Seq[Ready]): Int = plan(xs).map(_.cycle).max
}
