package proofmill.arith

import spinal.core._

/** A signed value within `bound`, times `weight`. */
case class Term(value: Timed[SInt], bound: Bound, weight: BigInt = 1)

/** A pipelined sum of many terms; it accepts terms in every cycle. */
object Sum {

  /** Returns the sum of the terms and a constant, as wide as `result`. The caller guarantees that the sum is within `result`. */
  def apply(terms: Seq[Term], result: Bound, pace: Pace = Pace(), constant: BigInt = 0): Timed[SInt] = {
    val cycle = Timed.together(terms.map(_.value): _*)
    val plan = SumPlan(terms.map(t => (t.bound, t.weight)), result, constant, pace)
    val words = terms.map(t => Timed(t.value.at(cycle).resize(t.bound.width).asBits, cycle))
    val sum = plan.on(words)(TimedWords.of(pace))
    Timed(sum.at(cycle + plan.latency).asSInt, cycle + plan.latency)
  }

  /** Returns the same sum, computed in a module of its own. Equal sums share one definition, and synthesis gets smaller
    * modules.
    */
  def separate(terms: Seq[Term], result: Bound, pace: Pace = Pace()): Timed[SInt] = {
    val cycle = Timed.together(terms.map(_.value): _*)
    val unit = new SumUnit(terms.map(t => (t.bound, t.weight)), result, pace)
    for ((port, term) <- unit.terms.zip(terms)) port := term.value.at(cycle).resize(term.bound.width)
    Timed(unit.sum, cycle + latency(unit.weights, result, pace))
  }

  /** Returns the latency of `apply` for terms with these bounds and weights. */
  def latency(terms: Seq[(Bound, BigInt)], result: Bound, pace: Pace = Pace(), constant: BigInt = 0): Int =
    SumPlan(terms, result, constant, pace).latency
}

/** A sum of terms that are valid in the same cycle. */
class SumUnit(val weights: Seq[(Bound, BigInt)], result: Bound, pace: Pace) extends Component {
  definitionName = s"Sum${weights.size}to${result.width}"

  val terms = weights.map { case (bound, _) => in(SInt(bound.width bits)) } // all of one cycle; a new set each cycle
  val sum = out(SInt(result.width bits)) // the weighted sum, as many cycles later as [[Sum.latency]] returns
  sum := Sum(
    terms.zip(weights).map { case (term, (bound, weight)) => Term(Timed(term, 0), bound, weight) },
    result,
    pace
  ).value
}
