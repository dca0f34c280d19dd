package proofmill.engine.ntt

import proofmill.arith.{Lag, Timed}
import proofmill.field._
import proofmill.spec.Field
import spinal.core._

/** Residues of a field with elements of 32 bytes: concatenated digits, each within `bound`, which a multiplication accepts. */
class LongResidues(field: Field, model: Boolean) extends Residues(field) {
  private val options = Options(model = model)
  val arithmetic: Arithmetic = Arithmetic(field, options)
  import arithmetic.{base, digits}
  val elementBits = 256

  private val entry = Option.when(digits > 1)(EntrySteps(field, options))
  private val entering = Bound.unsigned(field.bits) +: Seq.fill(digits)(Bound(0, 0))
  private val largest = {
    val entered = entry.fold(entering.head)(_.result(entering))
    Seq(arithmetic.product, arithmetic.reduced, entered).reduce((a, b) => Bound(a.low min b.low, a.high max b.high))
  }

  /** The interval of a residue's digits: of a product, of a reduced residue, or of a converted element. */
  val bound: Bound = Bound.signed(largest.width)
  require(bound.within(arithmetic.factor), s"${field.name}: a residue within $bound is no factor")
  private val digitBits = bound.width
  val bits: Int = digits * digitBits
  val tableBits: Int = if (digits == 1) field.bits else bits

  /** Conversions to and from residues of the arithmetic units. */
  def residue(x: SInt, cycle: Int = 0): Residue = Residue(x.asBits, digits, bound, cycle)
  def together(x: Residue): SInt = x.bits(x.cycle, bound).asSInt

  def product(a: SInt, b: SInt): SInt = together(arithmetic.mul(residue(a), residue(b)))
  val latency: Int = arithmetic.mulLatency

  val entryLatency: Int = entry.fold(0)(_.latency(entering.map(Ready(_, 0))))
  def entered(word: Bits): SInt = entry.fold(word.take(field.bits).asUInt.resize(bits).asSInt) { steps =>
    val unit = new EntryUnit(steps)
    unit.io.word := word.take(field.bits)
    unit.io.residue.asSInt
  }
  private class EntryUnit(steps: Reduction) extends Component {
    setDefinitionName(s"NttEntry_${field.name}")
    val io = new Bundle {
      val word = in(Bits(field.bits bits)) // canonical integer
      val residue = out(Bits(LongResidues.this.bits bits)) // residue
    }
    private val zeros = Seq.fill(digits)(Number(Timed(S(0, 1 bits), 0), Bound(0, 0)))
    private val word = Number(Timed((False ## io.word).asSInt, 0), entering.head)
    io.residue := ModMul.together(steps.build(word +: zeros), entryLatency, bound)
  }
  def encoded(value: BigInt): BigInt = arithmetic.word(value, bound)

  private val settling = SettlePlan(arithmetic, bound, options.price.pace)
  val canonicalLatency: Int = settling.latency
  def canonical(x: SInt): Bits = {
    val unit = new Settle(settling)
    unit.io.residue := x.asBits
    unit.io.result.resize(elementBits)
  }

  def turned(x: SInt, turns: UInt): SInt = x
  val turnBits = 0
  val turnLatency = 0

  /** The root of order 4 as a signed power of the base, if it is one. */
  private val asPower: Option[(Int, Int)] = Option.when(digits > 1) {
    (for (e <- 1 until 2 * digits; sign <- Seq(1, -1); if field.residue(base.pow(e) * sign) == root(2))
      yield (e, sign)).headOption
  }.flatten

  /** Whether the product with a root of order 4 needs a multiplier. */
  val iMultiplies: Boolean = asPower.isEmpty

  /** Returns the product of a root of order 4 and a residue, which may be a sum of several. */
  def timesI(x: Residue): Residue = asPower match {
    case None => arithmetic.mul(x, residue(S(encoded(root(2)), bits + 1 bits).resize(bits), x.cycle))
    case Some((e, sign)) =>
      val lowered = field.baseZ.get.polynomial.init.map(c => -c)
      val unit = Seq.tabulate(digits, digits)((i, j) => if (i == j) 1 else 0)
      val rows = (0 until e).foldLeft(unit) { (now, _) =>
        now.indices.map { i =>
          val below = if (i == 0) Seq.fill(digits)(0) else now(i - 1)
          below.zip(now.last).map { case (own, top) => own + lowered(i) * top }
        }
      }
      val pace = options.price.pace.ofCoefficients
      val numbers = x.digits.map(Number(_, x.bound))
      val made = rows.map(row => Combine.build(numbers.zip(row.map(k => BigInt(sign * k))), pace))
      val cycle = made.map(_.value.cycle).max
      val all = made.map(_.bound).reduce((a, b) => Bound(a.low min b.low, a.high max b.high))
      new Residue(made.map(n => Timed(n.value.at(cycle).resize(all.width), cycle)), all)
  }

  /** Returns a residue delayed to a later cycle. */
  def late(x: Residue, cycle: Int): Residue =
    Residue(Lag(x.bits(x.cycle), cycle - x.cycle), digits, x.bound, cycle)

  /** Selects one of two residues, in the later one's cycle. */
  def either(first: Bool, a: Residue, b: Residue): Residue = {
    val cycle = a.cycle max b.cycle
    val all = Bound(a.bound.low min b.bound.low, a.bound.high max b.bound.high)
    Residue(first ? late(a, cycle).bits(cycle, all) | late(b, cycle).bits(cycle, all), digits, all, cycle)
  }
}
