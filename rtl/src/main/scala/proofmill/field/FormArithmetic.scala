package proofmill.field

import proofmill.arith._
import proofmill.spec.Field
import spinal.core._

/** The arithmetic of a form, derived from its representation of residues. */
class FormArithmetic(field: Field, form: Form, options: Options) extends Arithmetic(field) {
  private val pace = options.price.pace
  val digits: Int = form.digits
  val base: BigInt = form.base
  val scale: BigInt = form.scale
  val factor: Bound = form.factor
  val reducible: Bound = form.reducible

  private val plan = ProductPlan(form, options.price)
  private val sums = form.afterSums
  val product: Bound = plan.bound
  require(product.within(factor), s"${field.name}: a product within $product is no factor within $factor")

  val mulLatency: Int = plan.latency
  val reduceLatency: Int = sums.latency(Seq.fill(digits)(Ready(reducible, 0)))
  val addLatency: Int = latencyOf(Seq(1, -1))
  def scaleLatency(k: Int): Int = if (k > 0 && Integer.bitCount(k) == 1) 0 else latencyOf(Seq(k)).max(1)

  private def latencyOf(weights: Seq[Int]): Int =
    Combine.plan(weights.map(k => Ready(reducible, 0) -> BigInt(k)), pace).cycle

  val reduced: Bound = sums.result(Seq.fill(digits)(reducible))
  require(reduced.within(factor), s"${field.name}: a reduced residue within $reduced is no factor within $factor")

  def mul(a: Residue, b: Residue): Residue = {
    val unit = new ModMul(name, plan, options)
    val cycle = a.cycle.max(b.cycle)
    unit.io.a := a.bits(cycle, factor)
    unit.io.b := b.bits(cycle, factor)
    Residue(unit.io.product, digits, product, cycle + mulLatency)
  }

  private def name =
    field.name + (if (options.montgomery) "_montgomery"
                  else if (options.plain && field.baseZ.nonEmpty) "_plain"
                  else "")

  def add(a: Residue, b: Residue): Residue = combine(addLatency, a -> 1, b -> 1)
  def sub(a: Residue, b: Residue): Residue = combine(addLatency, a -> 1, b -> -1)
  def neg(a: Residue): Residue = combine(addLatency, a -> -1)
  def scale(k: Int, a: Residue): Residue = {
    require(k != 0, s"${field.name}: a residue times 0")
    if (scaleLatency(k) > 0) combine(scaleLatency(k), a -> k)
    else {
      val shift = Integer.numberOfTrailingZeros(k)
      new Residue(a.digits.map(d => Timed((d.value << shift).resize((a.bound * k).width), d.cycle)), a.bound * k)
    }
  }

  /** Combines residues digit by digit; no carry propagates between digits. */
  private def combine(latency: Int, terms: (Residue, Int)*): Residue = {
    val cycle = terms.map(_._1.cycle).max
    val sums = (0 until digits).map { i =>
      Combine.build(
        terms.map { case (r, k) => Number(Timed(r.digits(i).at(cycle), cycle), r.bound) -> BigInt(k) },
        pace
      )
    }
    val bound = terms.map { case (r, k) => r.bound * k }.reduce(_ + _)
    new Residue(sums.map(s => Timed(s.value.at(cycle + latency), cycle + latency)), bound)
  }

  def reduce(a: Residue): Residue = {
    require(a.bound.within(reducible), s"${field.name}: cannot reduce ${a.bound}, only $reducible")
    val unit = new ReduceUnit(sums, digits, reducible, reduceLatency).setDefinitionName(s"Reduce_$name")
    unit.io.a := a.bits(a.cycle, reducible)
    Residue(unit.io.reduced, digits, reduced, a.cycle + reduceLatency)
  }

  def encode(value: BigInt): Seq[BigInt] = {
    val digits = form.split(field.residue(value * scale))
    for (d <- digits) require(Bound(d, d).within(product), s"${field.name}: digit $d is not within $product")
    digits
  }
}

/** `afterSums` as a component. */
class ReduceUnit(sums: Reduction, digits: Int, bound: Bound, latency: Int) extends Component {
  private val result = sums.result(Seq.fill(digits)(bound))
  val io = new Bundle {
    val a = in(Bits(digits * bound.width bits)) // digits within `bound`
    val reduced = out(Bits(digits * result.width bits)) // digits of the result, `latency` cycles later
  }
  private val numbers = Residue(io.a, digits, bound, 0).digits.map(Number(_, bound))
  io.reduced := ModMul.together(sums.build(numbers), latency, result)
}
