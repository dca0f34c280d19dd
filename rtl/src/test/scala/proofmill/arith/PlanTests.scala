package proofmill.arith

import proofmill.RtlTest

/** Product plans on integers, which are held to the bounds of every step. */
object PlanTests {
  import RtlTest._

  def all: Seq[RtlTest] = Seq(
    RtlTest("plan: schemes multiply polynomials")(schemes()),
    RtlTest("plan: every pair of small factors, by every kind of plan")(tiny()),
    RtlTest("plan: products in two halves")(halves()),
    RtlTest("plan: an early product in five cycles")(early()),
    RtlTest("plan: factors of every field's size")(fields()),
    RtlTest("plan: polynomials")(polynomials()),
    RtlTest("plan: tiles within the goals")(goals())
  )

  /** A tile so small that small factors take every kind of plan. */
  val toy: Price = Price(lutPerDsp = 20, tile = TileShape(wide = 4, narrow = 3), pace = Pace(chain = 3, levels = 1))

  /** The same with nested steps in two sums. */
  val flat: Price = toy.copy(pace = Pace(chain = 12, levels = 9, joined = true, flat = true))

  private def schemes(): Unit = {
    val r = random(2)
    val karatsuba = for (parts <- Seq(2, 3, 4, 5); turned <- Seq(false, true)) yield Scheme.karatsuba(parts, turned)
    for (scheme <- karatsuba ++ Seq(2, 3, 4).map(Scheme.toom); _ <- 0 until 100) {
      val Seq(a, b) = Seq.fill(2)(Seq.fill(scheme.parts)(BigInt(30, r) - (1 << 29)))
      def form(weights: Seq[BigInt], parts: Seq[BigInt]) = weights.zip(parts).map { case (w, x) => w * x }.sum
      val products = scheme.forms.zip(scheme.others).map { case (f, g) => form(f, a) * form(g, b) }
      val expected = (0 to 2 * scheme.parts - 2).map { k =>
        scheme.scale * a.indices.filter(i => b.isDefinedAt(k - i)).map(i => a(i) * b(k - i)).sum
      }
      require(scheme.name, scheme.weights.map(form(_, products)), expected)
    }
    val signs = Scheme.karatsuba(3, turned = true).weights.flatten.map(_.signum).toSet
    require("nothing is subtracted", signs, Set(0, 1))
    require("products", Seq(Scheme.karatsuba(2), Scheme.karatsuba(3), Scheme.toom(3)).map(_.forms.size), Seq(3, 6, 5))
  }

  /** Every plan for some bounds: all kinds outside, the cheapest inside. */
  def toyPlans(price: Price): Seq[Plan] = for {
    (a, b) <- Seq(
      (Bound.signed(6), Bound.signed(6)),
      (Bound.signed(7), Bound.unsigned(5)),
      (Bound(-9, 20), Bound.unsigned(6)),
      (Bound.signed(3), Bound.signed(8)),
      (Bound.magnitude(37), Bound(-1, 0))
    )
    plan <- Plan.all(a, b, price) :+ Plan.toom(a, b, 3, price)
  } yield plan

  private def tiny(): Unit = {
    val joined = toy.copy(pace = toy.pace.copy(joined = true))
    for (
      plan <- toyPlans(toy) ++ toyPlans(joined) ++ toyPlans(flat); x <- plan.a.low to plan.a.high;
      y <- plan.b.low to plan.b.high
    )
      require(s"$x * $y by\n$plan", plan.evaluate(x, y), plan.scale * x * y)
    val kinds = toyPlans(toy).map(_.getClass.getSimpleName).toSet
    require("kinds of plans", kinds, Set("Rows", "Grid", "ColumnGrid", "Split", "Magnitudes"))
  }

  /** Products cut into two coefficients, at every bit. */
  private def halves(): Unit = for (plan <- toyPlans(flat) if plan.scale == 1; at <- 1 to 8) {
    val halves = Halves(plan, at, flat.pace)
    for (x <- plan.a.low to plan.a.high; y <- plan.b.low to plan.b.high) {
      val Seq(low, high) = halves.evaluate(Seq(x), Seq(y))
      require(s"$x * $y by\n$halves", low + (high << at), x * y)
    }
  }

  /** All that is left of a nested product's latency: tiles, the sums of those alike, their sum. */
  private def early(): Unit = {
    val plan = Plan.best(Bound.signed(264), Bound.signed(264), Price.early)
    require("tiles", plan.dsp, 108)
    require("cycles", Halves(plan, 256, Price.early.pace).latency, DspTile.latency + 2)
  }

  private def check(plan: Plan, times: Int): Unit = {
    val r = random(3)
    for (_ <- 0 until times) {
      val (x, y) = (SumTests.randomValue(r, plan.a), SumTests.randomValue(r, plan.b))
      require(s"$x * $y by\n$plan", plan.evaluate(x, y), plan.scale * x * y)
    }
  }

  private def fields(): Unit =
    for (bits <- Seq(64, 254, 256, 377, 381); bound <- Seq(Bound.unsigned(bits), Bound.signed(bits + 2))) {
      for (price <- Seq(20, 144, 500)) check(Plan.best(bound, bound, Price(lutPerDsp = price)), 30)
      for (parts <- Seq(3, 4); if bits > 64) check(Plan.toom(bound, bound, parts), 30)
    }

  private def polynomials(): Unit = {
    val r = random(4)
    for ((sizeA, sizeB) <- Seq((1, 1), (2, 2), (3, 3), (4, 4), (6, 6), (2, 5)); bits <- Seq(6, 67)) {
      val price = if (bits == 6) toy else Price()
      val (a, b) = (Seq.fill(sizeA)(Bound.signed(bits)), Seq.fill(sizeB)(Bound.magnitude(BigInt(1) << bits - 1)))
      val plan = PolynomialPlan.best(a, b, price)
      for (_ <- 0 until 100) {
        val (x, y) = (a.map(SumTests.randomValue(r, _)), b.map(SumTests.randomValue(r, _)))
        val expected = (0 until sizeA + sizeB - 1).map { k =>
          x.indices.filter(i => y.isDefinedAt(k - i)).map(i => x(i) * y(k - i)).sum
        }
        require(s"$x * $y by\n$plan", plan.evaluate(x, y), expected)
      }
    }
  }

  private def goals(): Unit = {
    def square(bits: Int, price: Price) = Plan.best(Bound.unsigned(bits), Bound.unsigned(bits), price)
    def digits(count: Int, price: Price) = {
      val bounds = Seq.fill(count)(Bound.magnitude((BigInt(1) << 66) - 1))
      PolynomialPlan.best(bounds, bounds, price)
    }
    val few = Price(columns = false)
    require("tiles of integers, no columns", Seq(64, 256, 381).map(square(_, few).dsp), Seq(9, 81, 162))
    require("tiles of digits, no columns", Seq(4, 6).map(digits(_, few).dsp), Seq(81, 162))
    val cheap = Price(60, columns = false) // tiles for few LUTs
    require(
      "tiles of digits, few LUTs",
      Seq(4, 6).map(digits(_, cheap).dsp).zip(Seq(108, 216)).filter { case (a, b) => a > b },
      Seq.empty
    )
    require("tiles of integers", Seq(64, 256, 381).map(square(_, Price()).dsp), Seq(12, 108, 162))
    require("tiles of digits", Seq(4, 6).map(digits(_, Price()).dsp), Seq(108, 216))
    for ((plan, luts) <- Seq(digits(4, Price()) -> 5500, digits(6, Price()) -> 12500)) {
      require(s"LUTs of\n$plan", plan.luts <= luts, true)
      require(s"cycles of\n$plan", plan.latency <= 18, true)
    }
  }
}
