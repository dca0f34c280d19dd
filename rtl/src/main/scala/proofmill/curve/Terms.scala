package proofmill.curve

import proofmill.field.{Arithmetic, Bound}

/** The properties of an [[proofmill.field.Arithmetic]] that a scheduler uses: required bounds, result bounds and latencies,
  * without hardware.
  */
case class Terms(
    digits: Int,
    factor: Bound,
    product: Bound,
    reducible: Bound,
    reduced: Bound,
    mulLatency: Int,
    addLatency: Int,
    reduceLatency: Int,
    scaleLatency: Int => Int
) {

  /** Returns the register bits that hold a value for one cycle. */
  def bits(bound: Bound): Int = digits * bound.width
}

object Terms {
  def apply(arithmetic: Arithmetic): Terms = Terms(
    arithmetic.digits,
    arithmetic.factor,
    arithmetic.product,
    arithmetic.reducible,
    arithmetic.reduced,
    arithmetic.mulLatency,
    arithmetic.addLatency,
    arithmetic.reduceLatency,
    arithmetic.scaleLatency
  )
}
