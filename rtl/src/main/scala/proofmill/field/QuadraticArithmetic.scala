package proofmill.field

import proofmill.arith.{Copies, Timing}
import spinal.core._
import spinal.lib._

/** The arithmetic of Fp2 = Fp(u), u^2 = -k, on the units of Fp. An element c0 + c1 u passes in series: c0 in a cycle, c1 in
  * the next one. So sums, differences and reductions are those of Fp, and a product is three of Fp by Karatsuba's method, in
  * the three cycles of an element.
  *
  * @param k a small positive integer
  */
class QuadraticArithmetic private (base_ : Arithmetic, k: Int, pipeline: Option[Int => Bool])
    extends Arithmetic(base_.field) {
  def this(base: Arithmetic, k: Int) = this(base, k, None)
  override def components: Int = 2
  override def interval: Int = 3
  override def inPipeline(first: Int => Bool): Arithmetic = new QuadraticArithmetic(base_, k, Some(first))

  private val plan = QuadraticPlan(base_, k)
  val digits: Int = base_.digits
  val base: BigInt = base_.base
  val scale: BigInt = base_.scale
  val reducible: Bound = base_.reducible
  val reduced: Bound = base_.reduced

  val factor: Bound = plan.factor
  val product: Bound = plan.product
  require(product.within(factor), s"${field.name}: a product within $product is no factor within $factor")
  require(reduced.within(factor), s"${field.name}: a reduced residue within $reduced is no factor within $factor")

  val mulLatency: Int = plan.latency
  val addLatency: Int = base_.addLatency
  val reduceLatency: Int = base_.reduceLatency
  def scaleLatency(k: Int): Int = base_.scaleLatency(k)

  def mul(a: Residue, b: Residue): Residue = {
    val first = pipeline.getOrElse(sys.error(s"${field.name}: a product in Fp2 belongs to a pipeline"))
    val cycle = a.cycle.max(b.cycle)
    val unit = new QuadraticMul(plan)
    unit.io.first := first(cycle)
    unit.io.a := a.bits(cycle, factor)
    unit.io.b := b.bits(cycle, factor)
    Residue(unit.io.product, digits, product, cycle + mulLatency)
  }
  def add(a: Residue, b: Residue): Residue = base_.add(a, b)
  def sub(a: Residue, b: Residue): Residue = base_.sub(a, b)
  def neg(a: Residue): Residue = base_.neg(a)
  def scale(k: Int, a: Residue): Residue = base_.scale(k, a)
  def reduce(a: Residue): Residue = base_.reduce(a)

  /** The digits of the first component of an element of Fp; the second one is 0. */
  def encode(value: BigInt): Seq[BigInt] = base_.encode(value)
}

/** A plan of the multiplication in Fp2 = Fp(u), u^2 = -k, in series; data only. The product is reduced if it would be too long
  * for a factor.
  */
case class QuadraticPlan(base: Arithmetic, k: Int) {
  require(k > 0, s"${base.field.name}: u^2 = ${-k} is not negative")
  import base.{addLatency, mulLatency}
  private def withZero(bound: Bound) = Bound(bound.low.min(0), bound.high.max(0))

  /** Half of a factor in Fp, since a0 + a1 is one. */
  val factor: Bound = Bound(base.factor.low / 2, base.factor.high / 2)

  /** The interval of m0 and of m2 - m0. */
  val minuend: Bound = base.product - withZero(base.product)

  /** The interval of k m1 and of m1. */
  val subtrahend: Bound = {
    val (one, multiple) = (base.product, base.product * k)
    Bound(one.low.min(multiple.low), one.high.max(multiple.high))
  }
  private val difference = minuend - subtrahend
  val isReduced: Boolean = !difference.within(factor)

  /** The interval of the digits of a product. */
  val product: Bound = if (isReduced) base.reduced else difference

  /** Cycle in which m0 returns. */
  val multiplied: Int = 1 + addLatency + mulLatency

  /** Cycle in which k m1 is subtracted from m0; one later m1 is subtracted from m2 - m0. */
  val subtracted: Int = multiplied + 2 + (if (k == 1) addLatency else addLatency.max(1 + base.scaleLatency(k)))
  private val lastUse = if (k == 1) subtracted - 1 else subtracted // of m1, which returns in cycle `multiplied` + 1
  require(lastUse <= multiplied + 4, s"${base.field.name}: m1 is held for three cycles, until ${multiplied + 4}")
  val latency: Int = subtracted + addLatency + (if (isReduced) base.reduceLatency else 0)
}

/** Multiplies elements of Fp2 in series, one in three cycles, on one multiplier of Fp.
  *
  * {{{
  *   cycle        0    1    2
  *   factors      a0   a1   a0 + a1
  *   products     m0   m1   m2            m0 = a0 b0, m1 = a1 b1, m2 = (a0 + a1) (b0 + b1)
  *   result            m0 - k m1   m2 - m0 - m1
  * }}}
  *
  * Registers hold what is needed twice, and are 0 in cycles in which nothing is added, so that no word is selected if k = 1. For
  * another k, k m1 or m1 is selected as the subtrahend.
  */
class QuadraticMul(plan: QuadraticPlan) extends Component {
  import plan.{base, factor, k, minuend, multiplied, subtracted, subtrahend}
  import base.{addLatency, digits}
  val io = new Bundle {
    val first = in(Bool()) // a0 and b0 are there; the next one is three cycles later at least
    val a, b = in(Bits(digits * factor.width bits)) // factors; those of the third cycle are ignored
    val product = out(Bits(digits * plan.product.width bits)) // `latency` cycles later
  }
  setDefinitionName(s"QuadraticMul_${base.field.name}")

  private val parts = Timing().copies

  /** Returns a copy for each part of a word: this is cycle `cycle` of a product. */
  private def inCycle(cycle: Int): Seq[Bool] = Copies(Delay(io.first, cycle - 1, init = False), parts).toSeq

  /** Applies a function to parts of a word, each with its own copy of a bit. */
  private def each(word: Bits, bits: Seq[Bool])(change: (Bits, Bool) => Bits): Bits =
    Cat(word.subdivideIn(parts slices, strict = false).zip(bits).map { case (part, bit) => change(part, bit) })

  /** A register that takes a word in this cycle and holds it until it takes the next one. */
  private def held(word: Bits, cycle: Int): Bits = each(word, inCycle(cycle))(RegNextWhen(_, _))

  /** A register that takes a word in every cycle but this one. */
  private def heldAt(word: Bits, cycle: Int): Bits =
    each(word, inCycle(cycle))((part, holds) => RegNextWhen(part, !holds))

  /** A register with what a word was in the cycle before this one, and 0 in other cycles, by its synchronous reset. */
  private def onlyIn(word: Bits, cycle: Int): Bits =
    each(word, inCycle(cycle - 1))((part, there) => RegNext(there ? part | B(0, part.getWidth bits)))

  /** a0, a1 and a0 + a1, from cycle `addLatency` + 1 on. */
  private def factors(word: Bits): Residue = {
    val now = heldAt(word, 2) // a0, a1, a1
    base.add(Residue(now, digits, factor, 0), Residue(onlyIn(RegNext(now), 3), digits, factor, 0))
  }
  private val products = base.mul(factors(io.a), factors(io.b)).bits(addLatency + base.mulLatency, base.product)
  private def residue(word: Bits) = Residue(word, digits, base.product, 0)

  // m0 when m0 returns, m2 - m0 when m2 does; the first one waits.
  private val differences = base.sub(residue(products), residue(onlyIn(RegNext(products), multiplied + 2)))
  private val left = {
    val waited = heldAt(differences.bits(addLatency, minuend), multiplied + 1 + addLatency)
    Residue(Delay(waited, subtracted - (multiplied + 2 + addLatency)), digits, minuend, 0)
  }
  private val m1 = held(products, multiplied + 1)
  private val right =
    if (k == 1) Residue(held(m1, subtracted - 1), digits, subtrahend, 0)
    else {
      val multiple = base.scale(k, residue(m1)).bits(base.scaleLatency(k), subtrahend)
      val one = residue(m1).bits(0, subtrahend)
      val words = multiple.subdivideIn(parts slices, strict = false).zip(one.subdivideIn(parts slices, strict = false))
      val chosen = words.zip(inCycle(subtracted - 1)).map { case ((multiple, one), isFirst) =>
        isFirst ? multiple | one
      }
      Residue(RegNext(Cat(chosen)), digits, subtrahend, 0)
    }
  private val result = base.sub(left, right)
  private val reduced = if (plan.isReduced) base.reduce(result) else result
  io.product := reduced.bits(reduced.cycle, plan.product)
}
