package proofmill.arith

/** The value `weight * plan.scale * x * y`, where `plan` describes the multiplication of x and y. */
case class Weighted[V](plan: Plan, x: V, y: V, weight: BigInt) {
  def bound: Bound = plan.product * weight
  def innermost(implicit machine: Sums[V]): Seq[Weighted[V]] =
    plan.innermost(x, y).map(inner => inner.copy(weight = inner.weight * weight))
  def terms(implicit machine: Machine[V]): Seq[(V, Bound, BigInt)] =
    plan.terms(x, y).map { case (value, bound, inner) => (value, bound, inner * weight) }
  private def odd: BigInt = weight >> weight.lowestSetBit
}

object Weighted {

  /** Computes the first of two sums. Products whose weights differ only by a power of two are added to one value, which has
    * fewer bits than the products together. Returns the values with their remaining weights.
    */
  def grouped[V](products: Seq[Weighted[V]], pace: Pace)(implicit machine: Sums[V]): Seq[(V, Bound, BigInt)] =
    for (odd <- products.map(_.odd).distinct) yield {
      val alike = products.filter(_.odd == odd)
      val common = alike.map(_.weight / odd).min
      val group = alike.map(p => p.copy(weight = p.weight / odd / common))
      val bound = group.map(_.bound).reduce(_ + _)
      (machine.sumOfProducts(group, bound, pace), bound, odd * common)
    }
}
