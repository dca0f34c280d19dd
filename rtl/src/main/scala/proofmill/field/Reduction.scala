package proofmill.field

import proofmill.arith._
import spinal.core._

/** One step of a reduction: a map of integer vectors that keeps their value modulo p. */
trait Step {
  def plan(xs: Seq[Ready]): Seq[Ready]
  def build(xs: Seq[Number]): Seq[Number]

  /** The names of variables that hold the results for the variables `xs`. */
  def twin(xs: Seq[(String, Bound)], cpp: TwinText): Seq[String]

  /** What the adders of a combination take, in LUTs. */
  def adderLuts(xs: Seq[Bound]): Int = 0
}

/** Every integer is replaced by some parts of itself. */
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
  def twin(xs: Seq[(String, Bound)], cpp: TwinText): Seq[String] =
    xs.zip(parts).flatMap { case ((x, bound), some) => some.map(_.twin(x, bound, cpp)) }
}

/** Every result is a sum of the integers with constant weights: one row of `weights` a result. */
case class Combination(weights: Seq[Seq[BigInt]], pace: Pace) extends Step {
  def plan(xs: Seq[Ready]): Seq[Ready] = weights.map(row => Combine.plan(xs.zip(row), pace))
  def build(xs: Seq[Number]): Seq[Number] = weights.map(row => Combine.build(xs.zip(row), pace))
  def twin(xs: Seq[(String, Bound)], cpp: TwinText): Seq[String] =
    weights.map(row => Combine.twin(xs.map(_._1).zip(row), cpp))
  override def adderLuts(xs: Seq[Bound]): Int = weights.map(row => Combine.luts(xs.zip(row), pace)).sum
}

/** The parts of one integer as a component, so that equal ones are one module. */
class PartsUnit(bound: Bound, parts: Seq[Part]) extends Component {
  val planned: Seq[Ready] = parts.map(_.plan(Ready(bound, 0)))
  val io = new Bundle {
    val x = in(Bits(bound.width bits))
  }
  val results = planned.zipWithIndex.map { case (ready, i) => out(SInt(ready.bound.width bits)).setName(s"io_part$i") }

  for ((part, result) <- parts.zip(results))
    result := part.build(Number(Timed(io.x.asSInt, 0), bound)).value.value.resized
}

/** Steps from the coefficients of a product, or the digits of a sum, to digits within narrower bounds. */
case class Reduction(steps: Seq[Step]) {
  def plan(xs: Seq[Ready]): Seq[Ready] = steps.foldLeft(xs)((now, step) => step.plan(now))
  def build(xs: Seq[Number]): Seq[Number] = steps.foldLeft(xs)((now, step) => step.build(now))

  /** What the digits of the results may be, all together, for operands within `bounds`. */
  def result(bounds: Seq[Bound]): Bound = {
    val digits = plan(bounds.map(Ready(_, 0))).map(_.bound)
    Bound(digits.map(_.low).min, digits.map(_.high).max)
  }

  def adderLuts(bounds: Seq[Bound]): Int = {
    val before = steps.scanLeft(bounds.map(Ready(_, 0)))((now, step) => step.plan(now))
    steps.zip(before).map { case (step, xs) => step.adderLuts(xs.map(_.bound)) }.sum
  }

  /** The cycle in which all results are there, when the operands are in these cycles. */
  def latency(xs: Seq[Ready]): Int = plan(xs).map(_.cycle).max
}
