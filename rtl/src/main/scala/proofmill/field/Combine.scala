package proofmill.field

import proofmill.arith._

/** Sums of integers with constant weights. */
object Combine {
  def plan(terms: Seq[(Ready, BigInt)], pace: Pace): Ready = terms.filter(_._2 != 0) match {
    case Seq()                           => Ready(Bound(0, 0), 0)
    case Seq((x, weight)) if weight == 1 => x
    case some =>
      val bound = sum(some.map { case (x, weight) => x.bound * weight })
      Ready(bound, some.map(_._1.cycle).max + Sum.latency(some.map { case (x, w) => (x.bound, w) }, bound, pace))
  }

  /** Returns the cost of the adders in LUTs. */
  def luts(terms: Seq[(Bound, BigInt)], pace: Pace): Int = terms.filter(_._2 != 0) match {
    case Seq() | Seq((_, Combine.one)) => 0
    case some                          => SumPlan(some, sum(some.map { case (x, weight) => x * weight }), 0, pace).luts
  }

  /** @param separate the sum is a module of its own */
  def build(terms: Seq[(Number, BigInt)], pace: Pace, separate: Boolean = false): Number =
    terms.filter(_._2 != 0) match {
      case Seq((x, weight)) if weight == 1 => x
      case some =>
        val bound = sum(some.map { case (x, weight) => x.bound * weight })
        val weighted = some.map { case (x, weight) => Term(x.value, x.bound, weight) }
        Number(if (separate) Sum.separate(weighted, bound, pace) else Sum(weighted, bound, pace), bound)
    }

  def model(terms: Seq[(String, BigInt)], cpp: ModelText): String =
    cpp.let(terms.filter(_._2 != 0).map { case (x, weight) => cpp.times(x, weight) }.mkString(" + "))

  private val one = BigInt(1)
  private def sum(bounds: Seq[Bound]): Bound = bounds.reduce(_ + _)
}
