package proofmill.arith

import spinal.core._
import spinal.lib.Delay

/** A planned product of two signed integers, one a cycle: `plan.scale * a * b`, as wide as `plan.product`. */
object Multiplier {
  def apply(plan: Plan, a: Timed[SInt], b: Timed[SInt]): Timed[SInt] = {
    val cycle = Timed.together(a, b)
    Timed(Delay((a.at(cycle) * b.at(cycle)).resize(plan.product.width), plan.latency), cycle + plan.latency)
  }
}

/** A planned product of two polynomials, one a cycle: all coefficients in the same cycle, each as wide as its bound. */
object PolynomialMultiplier {
  def apply(plan: PolynomialPlan, a: Seq[Timed[SInt]], b: Seq[Timed[SInt]]): Seq[Timed[SInt]] = {
    val cycle = Timed.together(a ++ b: _*)
    for ((bound, k) <- plan.product.zipWithIndex) yield {
      val products = for (i <- a.indices; if b.isDefinedAt(k - i))
        yield (a(i).at(cycle) * b(k - i).at(cycle)).resize(bound.width)
      Timed(Delay(products.reduce(_ + _), plan.latency), cycle + plan.latency)
    }
  }
}
