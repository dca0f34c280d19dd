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

  /** Cycles that `apply` takes for terms of these bounds and weights. */
  def latency(terms: Seq[(Bound, BigInt)], result: Bound, pace: Pace = Pace(), constant: BigInt = 0): Int =
    SumPlan(terms, result, constant, pace).latency
}
