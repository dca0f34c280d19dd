package proofmill.arith

import spinal.core._

/** `weight` times a signed value of which `bound` is known. */
case class Term(value: Timed[SInt], bound: Bound, weight: BigInt = 1)

/** Adds many terms, one sum a cycle. */
object Sum {

  /** The sum of the terms and a constant, as wide as `result`, within which the caller knows it to be. */
  def apply(terms: Seq[Term], result: Bound, pace: Pace = Pace(), constant: BigInt = 0): Timed[SInt] = {
    val cycle = Timed.together(terms.map(_.value): _*)
    val plan = SumPlan(terms.map(t => (t.bound, t.weight)), result, constant, pace)
    val words = terms.map(t => Timed(t.value.at(cycle).resize(t.bound.width).asBits, cycle))
    val sum = plan.on(words)(TimedWords.of(pace))
    Timed(sum.at(cycle + plan.latency).asSInt, cycle + plan.latency)
  }

  /** The same as a module of its own: of equal sums there is one, and synthesis has small modules. */
  def apart(terms: Seq[Term], result: Bound, pace: Pace = Pace()): Timed[SInt] = {
    val cycle = Timed.together(terms.map(_.value): _*)
    val unit = new SumUnit(terms.map(t => (t.bound, t.weight)), result, pace)
    for ((port, term) <- unit.terms.zip(terms)) port := term.value.at(cycle).resize(term.bound.width)
    Timed(unit.sum, cycle + latency(unit.weights, result, pace))
  }

  /** Cycles that `apply` takes for terms of these bounds and weights. */
  def latency(terms: Seq[(Bound, BigInt)], result: Bound, pace: Pace = Pace(), constant: BigInt = 0): Int =
    SumPlan(terms, result, constant, pace).latency
}

/** A sum of terms that come in the same cycle. */
class SumUnit(val weights: Seq[(Bound, BigInt)], result: Bound, pace: Pace) extends Component {
  definitionName = s"Sum${weights.size}to${result.width}"

  val terms = weights.map { case (bound, _) => in(SInt(bound.width bits)) }
  val sum = out(SInt(result.width bits))
  sum := Sum(
    terms.zip(weights).map { case (term, (bound, weight)) => Term(Timed(term, 0), bound, weight) },
    result,
    pace
  ).value
}
