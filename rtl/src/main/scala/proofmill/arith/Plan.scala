package proofmill.arith

import scala.collection.concurrent.TrieMap

/** A plan of a product of two signed integers within bounds; data only. */
sealed abstract class Plan {
  val a: Bound
  val b: Bound

  /** The plan computes `scale * a * b`. */
  def scale: BigInt = 1

  /** The interval of the results. */
  lazy val product: Bound = a * b * scale

  /** Runs the steps of the plan on a machine. */
  def on[V](x: V, y: V)(implicit machine: Machine[V]): V

  /** Returns the weighted products whose sum is the result when nested steps are merged. */
  def innermost[V](x: V, y: V)(implicit machine: Sums[V]): Seq[Weighted[V]] = Seq(Weighted(this, x, y, 1))

  /** Returns the addends of the final sum with their weights. */
  def terms[V](x: V, y: V)(implicit machine: Machine[V]): Seq[(V, Bound, BigInt)] =
    Seq((machine.multiply(this, x, y), product, 1))

  lazy val cost: Cost = { val counter = new Counter; on(0, 0)(counter); counter.total }
  def dsp: Int = cost.dsp
  def luts: Int = cost.luts
  def latency: Int = cost.latency

  /** Computes the product of integers by the steps of the plan. */
  def evaluate(x: BigInt, y: BigInt): BigInt = product.check(Integers.multiply(this, x, y))

  /** The plans of the inner products. */
  def parts: Seq[Plan] = Seq.empty
  def name: String

  /** Returns the cost in LUTs at the given price of a DSP. */
  def luts(price: Price): Int = luts + dsp * price.lutPerDsp

  /** Returns the tree of plans, one line for each node; equal siblings share a line. */
  def describe: String = {
    val inner = parts.groupBy(_.describe).toSeq.sortBy(_._1).map { case (text, same) => s"${same.size} x $text" }
    (s"$name ${a.width}x${b.width}: $dsp DSP, $luts LUT, $latency cycles" +: inner).mkString("\n").replace("\n", "\n  ")
  }
  override def toString: String = describe
}

/** One hardware multiplier with its registers. */
case class Tile(a: Bound, b: Bound) extends Plan {
  def on[V](x: V, y: V)(implicit machine: Machine[V]): V = machine.tile(this, x, y)
  override lazy val cost: Cost = Cost(1, 0, DspTile.latency)
  def name: String = "tile"
}

/** No tile: each bit of the narrower factor selects a multiple of the wider one. */
case class Rows(a: Bound, b: Bound, pace: Pace) extends Plan {
  private val (wide, narrow) = if (a.width < b.width) (b, a) else (a, b)
  private val selected = Bound(wide.low min 0, wide.high max 0)

  def on[V](x: V, y: V)(implicit machine: Machine[V]): V = {
    val (value, bits) = if (a.width < b.width) (y, x) else (x, y)
    val positive = for (i <- 0 until narrow.magnitudeBits) yield (i, BigInt(1) << i)
    val sign = Option.when(narrow.low < 0)((narrow.magnitudeBits, -(BigInt(1) << narrow.magnitudeBits)))
    val terms = for ((i, weight) <- positive ++ sign) yield (machine.select(value, bits, i), selected, weight)
    machine.sum(terms, product, pace)
  }
  def name: String = "rows"
}

/** All products of a part of `a` and a part of `b` (schoolbook multiplication). */
case class Grid(a: Bound, b: Bound, stepA: Int, stepB: Int, cells: Seq[Seq[Plan]], pace: Pace) extends Plan {
  private val (partsA, partsB) = (Parts(a, stepA), Parts(b, stepB))

  override def parts: Seq[Plan] = cells.flatten
  def on[V](x: V, y: V)(implicit machine: Machine[V]): V = machine.sum(terms(x, y), product, pace)
  override def terms[V](x: V, y: V)(implicit machine: Machine[V]): Seq[(V, Bound, BigInt)] = {
    val (xs, ys) = (partsA.of(x), partsB.of(y))
    for ((row, i) <- cells.zipWithIndex; (plan, j) <- row.zipWithIndex)
      yield (machine.multiply(plan, xs(i), ys(j)), plan.product, BigInt(1) << (i * stepA + j * stepB))
  }
  def name: String = s"grid ${partsA.bounds.size} x ${partsB.bounds.size}"
}

object Grid {

  /** A grid with the products that `choose` returns. */
  def apply(a: Bound, b: Bound, stepA: Int, stepB: Int, pace: Pace)(choose: (Bound, Bound) => Plan): Grid =
    Grid(a, b, stepA, stepB, Parts(a, stepA).bounds.map(x => Parts(b, stepB).bounds.map(choose(x, _))), pace)
}

/** A grid in which the tiles of each part of one factor form a [[Column]], whose adders replace those of a sum. */
case class ColumnGrid(a: Bound, b: Bound, tile: TileShape, turned: Boolean, pace: Pace) extends Plan {
  private val step = tile.wide - 1
  private val (across, along) = if (turned) (b, a) else (a, b)
  private val (wide, narrow) = (Parts(across, step), Parts(along, tile.narrow - 1))
  private val columns = wide.bounds.map(Column(_, narrow.bounds, narrow.step))

  def on[V](x: V, y: V)(implicit machine: Machine[V]): V = machine.sum(terms(x, y), product, pace)
  override def terms[V](x: V, y: V)(implicit machine: Machine[V]): Seq[(V, Bound, BigInt)] = {
    val (xs, ys) = if (turned) (wide.of(y), narrow.of(x)) else (wide.of(x), narrow.of(y))
    for (((column, x), i) <- columns.zip(xs).zipWithIndex)
      yield (machine.column(column, x, ys), column.a * along, BigInt(1) << (i * step))
  }
  def name: String = s"${columns.size} columns of ${narrow.bounds.size}"
}

/** The product of a factor and the parts of another one, each of `step` bits: tile k adds what tile k - 1 has above `step`
  * bits. The adders and the shift are those of DSP48E2s in a column (PCOUT to PCIN, shifted by 17 bits).
  */
case class Column(a: Bound, parts: Seq[Bound], step: Int) {

  /** The results of the tiles. */
  val sums: Seq[Bound] = parts.tail.scanLeft(a * parts.head) { (below, part) =>
    a * part + Bound(below.low >> step, below.high >> step)
  }

  /** Tiles, delays in LUTs (three cycles and more) of the results' low bits, and cycles. */
  val cost: Cost = Cost(parts.size, step * (parts.size - 3 max 0), DspTile.latency + parts.size - 1)

  /** Returns the product, given the results of the tiles. */
  def product(sums: Seq[BigInt]): BigInt =
    sums.init.map(_ & ((BigInt(1) << step) - 1)).foldRight(sums.last)((low, high) => low + (high << step))
}

/** Both factors are cut into parts of `step` bits and multiplied as polynomials by a scheme. */
case class Split(a: Bound, b: Bound, step: Int, scheme: Scheme, override val parts: Seq[Plan], pace: Pace)
    extends Plan {
  private val (partsA, partsB) = (Parts(a, step, scheme.parts), Parts(b, step, scheme.parts))
  private val coefficients = PolynomialPlan.coefficients(partsA.bounds, partsB.bounds).map(_ * scheme.scale)

  require(parts.forall(_.scale == parts.head.scale), "products of different scales")

  override def scale: BigInt = scheme.scale * parts.head.scale
  def on[V](x: V, y: V)(implicit machine: Machine[V]): V = {
    if (pace.flat) machine.sum(Weighted.grouped(innermost(x, y), pace), product, pace)
    else if (pace.joined)
      machine.sum(weighted(x, y).map(p => (multiplied(p), p.plan.product, p.weight)).toSeq, product, pace)
    else {
      val values = weighted(x, y).map(p => (multiplied(p), p.plan.product)).toSeq
      val terms = for (((weights, bound), k) <- scheme.weights.zip(coefficients).zipWithIndex) yield {
        val terms = for (((value, known), weight) <- values.zip(weights); if weight != 0) yield (value, known, weight)
        val scaled = bound * parts.head.scale
        (machine.sum(terms, scaled, pace), scaled, BigInt(1) << (k * step))
      }
      machine.sum(terms, product, pace)
    }
  }

  private def multiplied[V](p: Weighted[V])(implicit machine: Machine[V]): V = machine.multiply(p.plan, p.x, p.y)

  /** The products of the scheme with their weights, generated on demand. A single sum over all of them needs more addends,
    * but saves the cycles of the second adder.
    */
  private def weighted[V](x: V, y: V)(implicit machine: Sums[V]): Iterator[Weighted[V]] = {
    val (xs, ys) = (partsA.of(x), partsB.of(y))
    for ((plan, j) <- parts.iterator.zipWithIndex) yield {
      val x = partsA.value(scheme.forms(j), xs, pace.toTile)
      val y = partsB.value(scheme.others(j), ys, pace.toTile)
      Weighted(plan, x, y, scheme.weights.zipWithIndex.map { case (row, k) => row(j) << (k * step) }.sum)
    }
  }

  override def innermost[V](x: V, y: V)(implicit machine: Sums[V]): Seq[Weighted[V]] =
    if (pace.flat) weighted(x, y).flatMap(_.innermost).toSeq else super.innermost(x, y)

  def name: String = s"${scheme.name} at $step"
}

object Split {

  /** A split with the products that `choose` returns. */
  def apply(a: Bound, b: Bound, step: Int, scheme: Scheme, pace: Pace)(choose: (Bound, Bound) => Plan): Split = {
    val (partsA, partsB) = (Parts(a, step, scheme.parts), Parts(b, step, scheme.parts))
    val products = scheme.forms.zip(scheme.others).map { case (x, y) => choose(partsA.form(x), partsB.form(y)) }
    Split(a, b, step, scheme, products, pace)
  }
}

/** The product of the absolute values, which are one bit narrower, followed by a correction of the sign. */
case class Magnitudes(inner: Plan, a: Bound, b: Bound, pace: Pace) extends Plan {
  override def scale: BigInt = inner.scale
  override def parts: Seq[Plan] = Seq(inner)
  def on[V](x: V, y: V)(implicit machine: Machine[V]): V = {
    val positive = machine.multiply(inner, machine.magnitude(x, a, pace), machine.magnitude(y, b, pace))
    machine.signed(positive, x, y, product, pace)
  }
  def name: String = "magnitudes"
}

/** A value cut into parts of `step` bits; the last part has the sign. */
case class Parts(whole: Bound, step: Int, bounds: Seq[Bound]) {
  def of[V](value: V)(implicit machine: Sums[V]): Seq[V] =
    for ((bound, i) <- bounds.zipWithIndex)
      yield machine.part(value, i * step, bound, last = i + 1 == bounds.size)

  /** Returns the interval of a linear form of the parts. */
  def form(weights: Seq[BigInt]): Bound = bounds.zip(weights).map { case (b, w) => b * w }.reduce(_ + _)

  def value[V](weights: Seq[BigInt], parts: Seq[V], pace: Pace)(implicit machine: Sums[V]): V = {
    val terms = for (((part, bound), weight) <- parts.zip(bounds).zip(weights); if weight != 0)
      yield (part, bound, weight)
    machine.sum(terms, form(weights), pace)
  }
}

object Parts {
  def apply(whole: Bound, step: Int): Parts =
    apply(whole, step, 1 max (whole.magnitudeBits + step - 1) / step)

  def apply(whole: Bound, step: Int, count: Int): Parts = {
    val low = for (i <- 0 until count - 1) yield {
      val full = (BigInt(1) << step) - 1
      Bound(0, if (whole.low >= 0) full min (whole.high >> (i * step)) else full)
    }
    val shift = (count - 1) * step
    Parts(whole, step, low :+ Bound(whole.low >> shift, whole.high >> shift))
  }
}

object Plan {
  private val known = TrieMap.empty[(Bound, Bound, Price), Plan]

  /** Returns the cheapest plan that computes exactly `a * b`. */
  def best(a: Bound, b: Bound, price: Price = Price()): Plan =
    known.getOrElseUpdate((a, b, price), all(a, b, price).minBy(_.luts(price)))

  /** Returns a plan with Toom-Cook at the outer level and the cheapest plans inside. Its scale is not 1. */
  def toom(a: Bound, b: Bound, parts: Int, price: Price = Price()): Plan =
    split(a, b, Scheme.toom(parts), price).getOrElse(best(a, b, price))

  /** Returns the candidate plans. Their inner plans are already the cheapest. */
  def all(a: Bound, b: Bound, price: Price): Seq[Plan] =
    if (fits(a, b, price.tile)) Tile(a, b) +: rows(a, b, price).toSeq
    else Seq(
      rows(a, b, price),
      grids(a, b, price),
      columns(a, b, price),
      splits(a, b, price),
      magnitudes(a, b, price)
    ).flatten

  private def fits(a: Bound, b: Bound, tile: TileShape): Boolean =
    (a.width max b.width) <= tile.wide && (a.width min b.width) <= tile.narrow

  /** With more tiles than this, a scheme with fewer products is always cheaper. */
  private val largestGrid = 24

  private def grids(a: Bound, b: Bound, price: Price): Seq[Plan] = {
    val steps = Seq(price.tile.wide - 1, price.tile.narrow - 1)
    for {
      Seq(stepA, stepB) <- steps.permutations.toSeq
      tiles = Parts(a, stepA).bounds.size * Parts(b, stepB).bounds.size
      if tiles <= largestGrid || (a.width min b.width) <= price.tile.wide
    } yield Grid(a, b, stepA, stepB, price.pace)(best(_, _, price))
  }

  private def columns(a: Bound, b: Bound, price: Price): Seq[Plan] =
    if (price.columns) Seq(false, true).map(ColumnGrid(a, b, price.tile, _, price.pace)) else Seq.empty

  private def splits(a: Bound, b: Bound, price: Price): Seq[Plan] = {
    val parts = if ((a.width min b.width) > 4 * price.tile.wide) Seq(2, 3) else Seq(2)
    parts.flatMap(n => split(a, b, Scheme.karatsuba(n, turned = price.pace.flat), price))
  }

  /** Returns a split by a scheme if both factors reach the last part and all inner products are narrower. */
  private def split(a: Bound, b: Bound, scheme: Scheme, price: Price): Option[Plan] = {
    val step = ((a.magnitudeBits max b.magnitudeBits) + scheme.parts - 1) / scheme.parts
    val filled = (a.magnitudeBits min b.magnitudeBits) > (scheme.parts - 1) * step
    def smaller(whole: Bound, forms: Seq[Seq[BigInt]]) =
      forms.forall(Parts(whole, step, scheme.parts).form(_).width < whole.width)
    Option.when(filled && smaller(a, scheme.forms) && smaller(b, scheme.others))(
      Split(a, b, step, scheme, price.pace)(best(_, _, price))
    )
  }

  /** With a factor wider than this, a tile is always cheaper. */
  private val fewBits = 4

  private def rows(a: Bound, b: Bound, price: Price): Option[Plan] =
    Option.when((a.width min b.width) <= fewBits)(Rows(a, b, price.pace))

  private def magnitudes(a: Bound, b: Bound, price: Price): Option[Plan] = Option.when(a.low < 0 && b.low < 0) {
    Magnitudes(best(a.absolute, b.absolute, price), a, b, price.pace)
  }
}
