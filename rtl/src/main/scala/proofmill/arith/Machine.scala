package proofmill.arith

import scala.collection.concurrent.TrieMap

/** The operations of the outer level of a plan; the only ones that the behavioural model in C++ implements. */
trait Sums[V] {

  /** Extracts the bits from `from` upwards: as many as `bound` needs without its sign bit, or, for the last part, all with
    * the sign.
    */
  def part(value: V, from: Int, bound: Bound, last: Boolean): V
  def sum(terms: Seq[(V, Bound, BigInt)], result: Bound, pace: Pace): V

  /** Computes a sum of products. The products' tiles are all added in the same sum. */
  def sumOfProducts(products: Seq[Weighted[V]], result: Bound, pace: Pace): V
}

/** An interpreter of plans: [[Integers]] evaluates a plan, [[Counter]] computes its cost, [[Circuit]] generates hardware. */
trait Machine[V] extends Sums[V] {
  def sumOfProducts(products: Seq[Weighted[V]], result: Bound, pace: Pace): V =
    sum(products.flatMap(_.terms(this)), result, pace)

  /** Returns `value` if bit `bit` of `other` is set, else 0. */
  def select(value: V, other: V, bit: Int): V

  /** Returns the absolute value. */
  def magnitude(value: V, bound: Bound, pace: Pace): V

  /** Returns the non-negative `value` with the sign of `a * b`. */
  def signed(value: V, a: V, b: V, result: Bound, pace: Pace): V
  def tile(tile: Tile, a: V, b: V): V

  /** Returns the product of `a` and the whole of `parts`. */
  def column(column: Column, a: V, parts: Seq[V]): V
  def multiply(plan: Plan, a: V, b: V): V
}

/** Evaluates a plan on integers and checks the bounds of every step. */
object Integers extends Machine[BigInt] {
  def part(value: BigInt, from: Int, bound: Bound, last: Boolean): BigInt =
    bound.check(if (last) value >> from else (value >> from) & ((BigInt(1) << bound.high.bitLength) - 1))
  def sum(terms: Seq[(BigInt, Bound, BigInt)], result: Bound, pace: Pace): BigInt =
    result.check(terms.map { case (value, bound, weight) => bound.check(value) * weight }.sum)
  def select(value: BigInt, other: BigInt, bit: Int): BigInt = if (other.testBit(bit)) value else 0
  def magnitude(value: BigInt, bound: Bound, pace: Pace): BigInt = bound.check(value).abs
  def signed(value: BigInt, a: BigInt, b: BigInt, result: Bound, pace: Pace): BigInt =
    result.check(value * a.signum * b.signum)
  def tile(tile: Tile, a: BigInt, b: BigInt): BigInt = tile.a.check(a) * tile.b.check(b)
  def column(column: Column, a: BigInt, parts: Seq[BigInt]): BigInt = {
    val products = parts.zip(column.parts).map { case (part, bound) => column.a.check(a) * bound.check(part) }
    val sums = products.tail.scanLeft(products.head)((below, product) => product + (below >> column.step))
    column.product(sums.zip(column.sums).map { case (sum, bound) => bound.check(sum) })
  }
  def multiply(plan: Plan, a: BigInt, b: BigInt): BigInt = plan.on(plan.a.check(a), plan.b.check(b))(this)
}

/** The cost of a plan: tiles (DSPs), LUTs of its adders, and latency in cycles. */
case class Cost(dsp: Int, luts: Int, latency: Int) {
  def and(other: Cost): Cost = Cost(dsp + other.dsp, luts + other.luts, latency max other.latency)
}

/** Computes the cost of a plan. A value is the cycle in which it is available. */
class Counter extends Machine[Int] {
  private var spent = Cost(0, 0, 0)

  def total: Cost = spent

  private def after(starts: Seq[Int], cost: Cost): Int = {
    val end = starts.max + cost.latency
    spent = spent.and(cost.copy(latency = end))
    end
  }
  def part(value: Int, from: Int, bound: Bound, last: Boolean): Int = value
  def sum(terms: Seq[(Int, Bound, BigInt)], result: Bound, pace: Pace): Int =
    after(
      terms.map(_._1),
      Counter.sum(SumPlan(terms.map { case (_, bound, weight) => (bound, weight) }, result, 0, pace))
    )
  def select(value: Int, other: Int, bit: Int): Int = value max other
  def magnitude(value: Int, bound: Bound, pace: Pace): Int = after(Seq(value), Counter.negation(bound.absolute, pace))
  def signed(value: Int, a: Int, b: Int, result: Bound, pace: Pace): Int =
    after(Seq(value, a, b), Counter.negation(result, pace))
  def tile(tile: Tile, a: Int, b: Int): Int = after(Seq(a, b), tile.cost)
  def column(column: Column, a: Int, parts: Seq[Int]): Int = after(a +: parts, column.cost)
  def multiply(plan: Plan, a: Int, b: Int): Int = after(Seq(a, b), plan.cost)
}

object Counter {
  private val known = TrieMap.empty[SumPlan, Cost]

  private def sum(plan: SumPlan): Cost = known.getOrElseUpdate(plan, Cost(0, plan.luts, plan.latency))

  /** Cost of adding a word, which may be inverted, and a bit. */
  def negation(bound: Bound, pace: Pace): Cost = {
    val adder = negator(bound.width, pace)
    Cost(0, adder.luts, adder.latency)
  }
  def negator(width: Int, pace: Pace): CarryAdder =
    CarryAdder(Vector(Piece(0, width), Piece(0, 1)), 0, width, pace)
}
