package proofmill.arith

import spinal.core._

/** How much an adder may do in one cycle: the longest carry chain, and compressor levels in a row. */
case class Pace(carry: Int = 96, levels: Int = 1)

/** `weight` times a signed value of which `bound` is known. */
case class Term(value: Timed[SInt], bound: Bound, weight: BigInt = 1)

/** Adds many terms, one sum a cycle. */
object Sum {

  /** The sum of the terms and a constant, as wide as `result`, within which the caller knows it to be. */
  def apply(terms: Seq[Term], result: Bound, pace: Pace = Pace(), constant: BigInt = 0): Timed[SInt] = {
    val cycle = Timed.together(terms.map(_.value): _*)
    val width = result.width + 1
    val sum = terms
      .map(t => (t.value.at(cycle) * S(t.weight, Bound(t.weight, t.weight).width bits)).resize(width))
      .foldLeft(S(constant, width.max(Bound(constant, constant).width) bits).resize(width))(_ + _)
    Timed(RegNext(sum.resize(result.width)), cycle + 1)
  }

  /** Cycles that `apply` takes for terms of these bounds and weights. */
  def latency(terms: Seq[(Bound, BigInt)], result: Bound, pace: Pace = Pace(), constant: BigInt = 0): Int = 1
}
