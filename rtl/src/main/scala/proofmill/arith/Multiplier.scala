package proofmill.arith

import spinal.core._

/** A pipelined product of two signed integers according to a plan: `plan.scale * a * b`, as wide as `plan.product`. It
  * accepts operands in every cycle.
  */
object Multiplier {
  def apply(plan: Plan, a: Timed[SInt], b: Timed[SInt]): Timed[SInt] = {
    val cycle = Timed.together(a, b)
    val product = Product(plan)
    product.io.a := a.at(cycle).resize(plan.a.width)
    product.io.b := b.at(cycle).resize(plan.b.width)
    Timed(product.io.p, cycle + plan.latency)
  }
}

/** A pipelined product of two polynomials according to a plan. All coefficients are valid in the same cycle, each as wide as
  * its bound.
  */
object PolynomialMultiplier {
  def apply(plan: PolynomialPlan, a: Seq[Timed[SInt]], b: Seq[Timed[SInt]]): Seq[Timed[SInt]] = {
    val cycle = Timed.together(a ++ b: _*)
    val end = cycle + plan.latency
    def operands(values: Seq[Timed[SInt]], bounds: Seq[Bound]) =
      for ((value, bound) <- values.zip(bounds)) yield Timed(value.at(cycle).resize(bound.width), cycle)
    plan.on(operands(a, plan.a), operands(b, plan.b))(Circuit).map(c => Timed(c.at(end), end))
  }
}

/** The module of a plan. Equal products share one module definition. */
case class Product(plan: Plan) extends Component {
  definitionName = s"Product${plan.a.width}x${plan.b.width}"

  val io = new Bundle {
    val a = in(SInt(plan.a.width bits)) // first factor
    val b = in(SInt(plan.b.width bits)) // second factor
    val p = out(SInt(plan.product.width bits)) // product, `plan.latency` cycles later
  }
  io.p := plan.on(Timed(io.a, 0), Timed(io.b, 0))(Circuit).at(plan.latency)
}

/** Generates the circuit of a plan. */
object Circuit extends Machine[Timed[SInt]] {
  type V = Timed[SInt]

  def part(value: V, from: Int, bound: Bound, last: Boolean): V = {
    val bits = value.value.asBits
    val field =
      if (last) (value.value >> from).resize(bound.width)
      else (B"0" ## bits(from, (bound.width - 1) min (bits.getWidth - from) bits)).asSInt.resize(bound.width)
    Timed(field, value.cycle)
  }
  def sum(terms: Seq[(V, Bound, BigInt)], result: Bound, pace: Pace): V =
    Sum(terms.map { case (value, bound, weight) => Term(value, bound, weight) }, result, pace)
  def select(value: V, other: V, bit: Int): V = {
    val cycle = Timed.together(value, other)
    val chosen = value.at(cycle)
    Timed(chosen & S(chosen.getWidth bits, default -> other.at(cycle)(bit)), cycle)
  }
  def magnitude(value: V, bound: Bound, pace: Pace): V =
    negated(value, Timed(value.value.msb, value.cycle), bound.absolute.width, pace)
  def signed(value: V, a: V, b: V, result: Bound, pace: Pace): V = {
    val cycle = Timed.together(a, b)
    negated(value, Timed(a.at(cycle).msb ^ b.at(cycle).msb, cycle), result.width, pace)
  }
  def tile(tile: Tile, a: V, b: V): V = {
    val cycle = Timed.together(a, b)
    val made = DspTile(tile.a.width, tile.b.width)
    made.io.a := a.at(cycle)
    made.io.b := b.at(cycle)
    Timed(made.io.p.resize(tile.product.width), cycle + DspTile.latency)
  }
  def column(column: Column, a: V, parts: Seq[V]): V = {
    val cycle = Timed.together(a +: parts: _*)
    val sums = parts.zip(column.parts).zipWithIndex.foldLeft(Vector.empty[V]) { case (below, ((part, bound), k)) =>
      val made = DspTile(column.a.width, bound.width, addend = below.lastOption.map(_.value.getWidth - column.step))
      made.io.a := a.at(cycle + k).resize(column.a.width)
      made.io.b := part.at(cycle + k).resize(bound.width)
      for (port <- made.io.c) port := below.last.value >> column.step
      below :+ Timed(made.io.p.resize(column.sums(k).width), cycle + k + DspTile.latency)
    }
    val end = cycle + column.cost.latency
    val low = sums.init.map(_.at(end)(column.step - 1 downto 0).asBits)
    Timed(Cat(low :+ sums.last.value.asBits).asSInt, end)
  }
  def multiply(plan: Plan, a: V, b: V): V = plan match {
    case one: Tile => tile(one, a, b)
    case _         => Multiplier(plan, a, b)
  }

  /** Returns the value, or its negative if `when` is set. */
  private def negated(value: V, when: Timed[Bool], width: Int, pace: Pace): V = {
    val cycle = Timed.together(value, when)
    val inverted = value.at(cycle).resize(width) ^ S(width bits, default -> when.at(cycle))
    val sum = Counter.negator(width, pace).on(Vector(
      Timed(inverted.asBits, cycle),
      Timed(when.at(cycle).asBits, cycle)
    ))(TimedWords)
    val end = cycle + Counter.negator(width, pace).latency
    Timed(sum.at(end).asSInt, end)
  }
}
