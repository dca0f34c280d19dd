package proofmill.arith

/** A plan of a product of two polynomials with bounded coefficients, constant terms first; data only.
  *
  * The coefficients of the product are exact: no carries propagate between them.
  */
sealed abstract class PolynomialPlan {
  val a: Seq[Bound]
  val b: Seq[Bound]

  /** The plan computes `scale * a * b`. */
  def scale: BigInt

  /** The intervals of the coefficients of the product. */
  lazy val product: Seq[Bound] = PolynomialPlan.coefficients(a, b).map(_ * scale)

  def on[V](x: Seq[V], y: Seq[V])(implicit machine: Machine[V]): Seq[V]

  lazy val cost: Cost = {
    val counter = new Counter
    val ends = on(a.map(_ => 0), b.map(_ => 0))(counter)
    counter.total.copy(latency = ends.max)
  }
  def dsp: Int = cost.dsp
  def luts: Int = cost.luts
  def latency: Int = cost.latency
  def luts(price: Price): Int = luts + dsp * price.lutPerDsp

  /** Computes the coefficients of the product of integer polynomials by the steps of the plan. */
  def evaluate(x: Seq[BigInt], y: Seq[BigInt]): Seq[BigInt] = {
    for ((value, bound) <- x.zip(a) ++ y.zip(b)) bound.check(value)
    on(x, y)(Integers).zip(product).map { case (value, bound) => bound.check(value) }
  }

  def name: String

  /** The products of single coefficients. */
  def leaves: Seq[Plan]
  override def toString: String = {
    val inner = leaves.groupBy(_.describe).toSeq.sortBy(_._1).map { case (text, same) => s"${same.size} x $text" }
    (s"$name: $dsp DSP, $luts LUT, $latency cycles" +: inner).mkString("\n").replace("\n", "\n  ")
  }
}

/** A product of constant polynomials. */
case class Single(plan: Plan) extends PolynomialPlan {
  val a: Seq[Bound] = Seq(plan.a)
  val b: Seq[Bound] = Seq(plan.b)
  def scale: BigInt = plan.scale
  def on[V](x: Seq[V], y: Seq[V])(implicit machine: Machine[V]): Seq[V] = Seq(machine.multiply(plan, x.head, y.head))
  def name: String = "1 coefficient"
  def leaves: Seq[Plan] = Seq(plan)
}

/** A product of constant polynomials as low + 2^at high. Both coefficients are sums of the same bits as the whole product,
  * but no carry propagates from `low` to `high`. `low` is signed and a few bits longer than `at`.
  */
case class Halves(plan: Plan, at: Int, pace: Pace) extends PolynomialPlan {
  val a: Seq[Bound] = Seq(plan.a)
  val b: Seq[Bound] = Seq(plan.b)
  def scale: BigInt = plan.scale

  override lazy val product: Seq[Bound] = {
    val low = terms(0, 0)(new Counter)._1.map { case (_, bound, weight) => bound * weight }.reduce(_ + _)
    val rest = plan.product - low
    Seq(low, Bound(rest.low >> at, rest.high >> at))
  }

  def on[V](x: Seq[V], y: Seq[V])(implicit machine: Machine[V]): Seq[V] = sums(x.head, y.head)
  def sums[V](x: V, y: V)(implicit machine: Sums[V]): Seq[V] = {
    val (low, high) = terms(x, y)
    for ((terms, bound) <- Seq(low, high).zip(product)) yield machine.sum(terms, bound, pace)
  }

  /** Returns the terms of `low` and of `high`. */
  private def terms[V](x: V, y: V)(implicit machine: Sums[V]): (Seq[(V, Bound, BigInt)], Seq[(V, Bound, BigInt)]) = {
    val cuts = for {
      (value, bound, weight) <- Weighted.grouped(plan.innermost(x, y), pace)
      (shift, negative) <- NonAdjacent(weight)
    } yield cut(value, bound, shift, if (negative) -1 else 1)
    (cuts.flatMap(_._1), cuts.flatMap(_._2))
  }

  /** Splits `sign 2^shift value` at bit `at`. */
  private def cut[V](value: V, bound: Bound, shift: Int, sign: BigInt)(implicit machine: Sums[V]) = {
    val bits = at - shift
    val below = Bound.unsigned(bits max 0)
    if (bits <= 0) (None, Some((value, bound, sign << -bits)))
    else if (bound.within(below)) (Some((value, bound, sign << shift)), None)
    else {
      val above = Bound(bound.low >> bits, bound.high >> bits)
      val low = machine.part(value, 0, below, last = false)
      val high = machine.part(value, bits, above, last = true)
      (Some((low, below, sign << shift)), Some((high, above, sign)))
    }
  }

  def name: String = s"2 coefficients, cut at $at"
  def leaves: Seq[Plan] = Seq(plan)
}

/** All products of a coefficient of `a` and a coefficient of `b`. */
case class Rectangle(a: Seq[Bound], b: Seq[Bound], plans: Seq[Seq[Plan]], pace: Pace) extends PolynomialPlan {
  def scale: BigInt = 1
  def on[V](x: Seq[V], y: Seq[V])(implicit machine: Machine[V]): Seq[V] =
    for ((bound, k) <- product.zipWithIndex) yield {
      val terms = for (i <- a.indices; if b.isDefinedAt(k - i))
        yield (machine.multiply(plans(i)(k - i), x(i), y(k - i)), plans(i)(k - i).product, BigInt(1))
      machine.sum(terms, bound, pace)
    }
  def name: String = s"${a.size}x${b.size} coefficients"
  def leaves: Seq[Plan] = plans.flatten
}

/** Coefficients are grouped into blocks; the blocks are multiplied as coefficients by a scheme. */
case class Blocks(a: Seq[Bound], b: Seq[Bound], scheme: Scheme, products: Seq[PolynomialPlan], pace: Pace)
    extends PolynomialPlan {
  private val size = a.size / scheme.parts

  def scale: BigInt = scheme.scale * products.head.scale
  require(products.forall(_.scale == products.head.scale), "products of different scales")

  def on[V](x: Seq[V], y: Seq[V])(implicit machine: Machine[V]): Seq[V] = {
    def formed(digits: Seq[(V, Bound)], weights: Seq[BigInt]) = for (d <- 0 until size) yield {
      val terms = for ((block, weight) <- digits.grouped(size).toSeq.zip(weights); if weight != 0)
        yield (block(d)._1, block(d)._2, weight)
      machine.sum(terms, terms.map { case (_, bound, weight) => bound * weight }.reduce(_ + _), pace)
    }
    val values = for (((form, other), plan) <- scheme.forms.zip(scheme.others).zip(products))
      yield plan.on(formed(x.zip(a), form), formed(y.zip(b), other))
    val (blocksA, blocksB) = (a.grouped(size).toSeq, b.grouped(size).toSeq)
    val terms = for ((weights, k) <- scheme.weights.zipWithIndex; d <- 0 until 2 * size - 1) yield {
      val bound = (for (i <- blocksA.indices; if blocksB.isDefinedAt(k - i))
        yield PolynomialPlan.coefficients(blocksA(i), blocksB(k - i))(d)).reduce(_ + _) * scale
      val terms = for (((value, plan), weight) <- values.zip(products).zip(weights); if weight != 0)
        yield (value(d), plan.product(d), weight)
      (k * size + d, (machine.sum(terms, bound, pace), bound, BigInt(1)))
    }
    for ((bound, m) <- product.zipWithIndex)
      yield machine.sum(terms.collect { case (at, term) if at == m => term }, bound, pace)
  }
  def name: String = s"${scheme.name} of blocks of $size"
  def leaves: Seq[Plan] = products.flatMap(_.leaves)
}

object PolynomialPlan {

  /** Returns the cheapest plan. Factors of equal sizes that are multiples of 2 or 3 may use Karatsuba. */
  def best(a: Seq[Bound], b: Seq[Bound], price: Price = Price()): PolynomialPlan =
    if (a.size == 1 && b.size == 1) Single(Plan.best(a.head, b.head, price))
    else (rectangle(a, b, price) +: Seq(2, 3).flatMap(karatsuba(a, b, _, price))).minBy(_.luts(price))

  private def rectangle(a: Seq[Bound], b: Seq[Bound], price: Price): PolynomialPlan =
    Rectangle(a, b, a.map(x => b.map(y => Plan.best(x, y, price))), price.pace)

  private def karatsuba(a: Seq[Bound], b: Seq[Bound], parts: Int, price: Price): Option[PolynomialPlan] =
    Option.when(a.size == b.size && a.size % parts == 0) {
      val scheme = Scheme.karatsuba(parts)
      val size = a.size / parts
      def formed(bounds: Seq[Bound], weights: Seq[BigInt]) =
        bounds.grouped(size).toSeq.zip(weights).map { case (block, w) => block.map(_ * w) }
          .reduce((x, y) => x.zip(y).map { case (p, q) => p + q })
      val products =
        scheme.forms.zip(scheme.others).map { case (form, other) => best(formed(a, form), formed(b, other), price) }
      Blocks(a, b, scheme, products, price.pace)
    }

  private[arith] def coefficients(a: Seq[Bound], b: Seq[Bound]): Seq[Bound] =
    (0 until a.size + b.size - 1).map { k =>
      (for (i <- a.indices; if b.isDefinedAt(k - i)) yield a(i) * b(k - i)).reduce(_ + _)
    }
}
