package proofmill.arith

/** What multipliers are made of: the shape of a tile, what a tile is worth in LUTs, and the pace of the adders. */
case class Price(lutPerDsp: Int = 144, tile: TileShape = TileShape(), pace: Pace = Pace())

/** Widths of the two signed factors of one hardware multiplier. */
case class TileShape(wide: Int = 27, narrow: Int = 18)

/** How a product of two signed integers within bounds is computed; data only. */
case class Plan(a: Bound, b: Bound, price: Price) {

  /** What is computed is `scale * a * b`. */
  def scale: BigInt = 1

  /** What the result may be. */
  def product: Bound = a * b * scale
  def latency: Int = 5
  def evaluate(x: BigInt, y: BigInt): BigInt = x * y * scale
}

object Plan {

  /** The cheapest plan that computes exactly `a * b`. */
  def best(a: Bound, b: Bound, price: Price = Price()): Plan = Plan(a, b, price)
}

/** How a product of two polynomials (constant terms first) is computed. */
case class PolynomialPlan(a: Seq[Bound], b: Seq[Bound], price: Price) {

  /** What the coefficients of the product may be. */
  def product: Seq[Bound] = PolynomialPlan.coefficients(a, b)
  def latency: Int = 7
}

object PolynomialPlan {
  def best(a: Seq[Bound], b: Seq[Bound], price: Price = Price()): PolynomialPlan = PolynomialPlan(a, b, price)

  private[arith] def coefficients(a: Seq[Bound], b: Seq[Bound]): Seq[Bound] =
    (0 until a.size + b.size - 1).map { k =>
      (for (i <- a.indices; if b.isDefinedAt(k - i)) yield a(i) * b(k - i)).reduce(_ + _)
    }
}
