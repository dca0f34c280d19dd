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

  def build(terms: Seq[(Number, BigInt)], pace: Pace): Number = terms.filter(_._2 != 0) match {
    case Seq((x, weight)) if weight == 1 => x
    case some =>
      val bound = sum(some.map { case (x, weight) => x.bound * weight })
      Number(Sum(some.map { case (x, weight) => Term(x.value, x.bound, weight) }, bound, pace), bound)
  }

  def twin(terms: Seq[(String, BigInt)], cpp: TwinText): String =
    cpp.let(terms.filter(_._2 != 0).map { case (x, weight) =>
      if (weight == 1) x else s"mul($x, ${cpp.constant(weight)})"
    }
      .reduce((x, y) => s"add($x, $y)"))

  private def sum(bounds: Seq[Bound]): Bound = bounds.reduce(_ + _)
}
