package proofmill.field

import proofmill.arith.Price
import proofmill.spec.{Curve, Field}
import proofmill.stream.Port
import spinal.core._

/** Hardware for one field in one form: the representation of residues, and pipelined units that accept operands in every
  * cycle.
  *
  * A residue is a list of `digits` signed integers d(0), d(1), …. It represents the canonical integer `(d(0) + d(1) base +
  * d(2) base^2 + …) / scale mod p`. One digit and scale 1 is the plain binary form. Scale 2^k is Montgomery's form. The BLS12
  * fields use several digits in base z.
  *
  * Additions are lazy: they only increase the bound. A multiplication requires operands within `factor` and returns a result
  * within `product`. A residue that is too large for it passes through `reduce` first. The scheduler compares bounds and
  * inserts that step; elaboration fails if an operand exceeds the required bound.
  *
  * Elements of an extension field pass in series, a component in each of `components` cycles ([[QuadraticArithmetic]]); an
  * element then follows another one after `interval` cycles at least.
  */
abstract class Arithmetic(val field: Field) {
  val digits: Int
  val base: BigInt
  val scale: BigInt

  /** Components of an element over the prime field, each a residue of its own in the next cycle. */
  def components: Int = 1

  /** Least cycles from an element to the next one. */
  def interval: Int = 1

  /** The names of the components of a value. */
  def componentNames(value: String): Seq[String] =
    if (components == 1) Seq(value) else (0 until components).map(i => s"${value}_c$i")

  /** The arithmetic of a pipeline; `first` returns whether a first component has reached a cycle of it. */
  def inPipeline(first: Int => Bool): Arithmetic = this

  /** The interval of a factor's digits; contains `product`. */
  val factor: Bound

  /** The interval of the digits of a multiplication's result. */
  val product: Bound

  /** The interval of the digits that `reduce` accepts. Its results are within `reduced`, which is within `factor`. */
  val reducible: Bound
  val reduced: Bound

  /** Latencies of the units, in cycles. Each unit accepts operands in every cycle. */
  val mulLatency: Int
  val addLatency: Int
  val reduceLatency: Int

  /** Latency of `scale(k, …)`; 0 for a power of two. */
  def scaleLatency(k: Int): Int

  def mul(a: Residue, b: Residue): Residue
  def add(a: Residue, b: Residue): Residue
  def sub(a: Residue, b: Residue): Residue
  def neg(a: Residue): Residue

  /** Multiplies a residue by `k`, a small integer other than 0. */
  def scale(k: Int, a: Residue): Residue
  def reduce(a: Residue): Residue

  /** Returns the digits of a canonical integer, within `product`. */
  def encode(value: BigInt): Seq[BigInt]

  /** Returns a canonical integer's digits side by side, the first one lowest, each as wide as `bound` requires. */
  def word(value: BigInt, bound: Bound): BigInt = encode(value).foldRight(BigInt(0)) { (digit, above) =>
    (above << bound.width) + bound.check(digit).mod(BigInt(1) << bound.width)
  }

  /** The digits of a canonical integer within `bound`. */
  def constant(value: BigInt, bound: Bound): Bits = B(word(value, bound), digits * bound.width bits)

  /** A unit's port for a residue with digits within `bound`. */
  def port(name: String, bound: Bound): Port =
    Port(name, bound.width, digits, Some(field.name), base, scale, bound.low, bound.high)

  /** Returns the canonical integer that the digits represent. */
  def decode(digits: Seq[BigInt]): BigInt =
    field.residue(digits.reverse.foldLeft(BigInt(0))((sum, d) => sum * base + d) * field.inverse(scale))
}

object Arithmetic {

  /** Returns the arithmetic in the form that suits the field. */
  def apply(field: Field, options: Options = Options()): Arithmetic =
    new FormArithmetic(field, Form(field, options), options)

  /** Returns the arithmetic of a curve's coordinates: in Fp, or in Fp2 for `group` 2. */
  def apply(curve: Curve, group: Int, options: Options): Arithmetic =
    if (group == 1) Arithmetic(curve.baseField, options)
    else {
      val nonResidue = curve.nonResidue.getOrElse(sys.error(s"${curve.name} has no group over Fp2"))
      // Factors of the small field of a toy are too short for the sums of Karatsuba's products.
      val spare = if (curve.baseField.bits < 16) 2 else 0
      new QuadraticArithmetic(
        Arithmetic(curve.baseField, options.copy(spare = options.spare.max(spare))),
        (-nonResidue).toInt
      )
    }
}

/** Options of a field's arithmetic.
  *
  * @param price the price of a DSP in LUTs: it decides how far products are split
  * @param chain tables of a reduction that are added one after the other (see `Tempo.chain`)
  * @param montgomery use Montgomery's form instead of the form that suits the modulus best
  * @param model multiply with a behavioural model in C++, bit-exact and with the same latency; for simulation only
  * @param plain use one digit, the plain binary form, instead of digits in base z
  * @param spare bits by which factors are longer than by default; not for digits in base z
  */
case class Options(
    price: Price = Price(),
    chain: Int = 4,
    montgomery: Boolean = false,
    model: Boolean = false,
    plain: Boolean = false,
    spare: Int = 0
)
