package proofmill.field

import proofmill.arith.Price
import proofmill.spec.Field
import proofmill.stream.Port

/** Hardware for one field in one form: how residues are represented, and units that take one operation a cycle.
  *
  * A residue is `digits` signed integers d(0), d(1), …; it stands for the canonical integer
  * `(d(0) + d(1) base + d(2) base^2 + …) / scale mod p`. One digit and scale 1 is the plain binary form; scale 2^k
  * is Montgomery's; several digits in base z serve the BLS12 fields.
  *
  * Additions are lazy: they only grow the bound. A multiplication demands that its operands are within `factor` and
  * promises a result within `product`; a residue too large for it goes through `reduce` first. Whoever schedules
  * compares bounds and inserts that step; an operand beyond its demand stops elaboration.
  */
abstract class Arithmetic(val field: Field) {
  val digits: Int
  val base: BigInt
  val scale: BigInt

  /** What a digit of a factor may be; at least `product`. */
  val factor: Bound

  /** What a digit of a multiplication's result is. */
  val product: Bound

  /** What a digit of a value to be reduced may be; `reduce` gives a digit within `reduced`, which is within `factor`. */
  val reducible: Bound
  val reduced: Bound

  /** Cycles of the units, each of which takes operands in every cycle. */
  val mulLatency: Int
  val addLatency: Int
  val reduceLatency: Int

  /** Cycles of `scale(k, …)`; none for a power of two. */
  def scaleLatency(k: Int): Int

  def mul(a: Residue, b: Residue): Residue
  def add(a: Residue, b: Residue): Residue
  def sub(a: Residue, b: Residue): Residue
  def neg(a: Residue): Residue

  /** `k` times a residue for a small integer that is not 0. */
  def scale(k: Int, a: Residue): Residue
  def reduce(a: Residue): Residue

  /** The digits, within `product`, of a canonical integer. */
  def encode(value: BigInt): Seq[BigInt]

  /** A residue at a unit's door, its digits within `bound`. */
  def port(name: String, bound: Bound): Port =
    Port(name, bound.width, digits, Some(field.name), base, scale, bound.low, bound.high)

  /** The canonical integer that digits stand for. */
  def decode(digits: Seq[BigInt]): BigInt =
    field.residue(digits.reverse.foldLeft(BigInt(0))((sum, d) => sum * base + d) * field.inverse(scale))
}

object Arithmetic {

  /** The arithmetic that fits a field. */
  def apply(field: Field, options: Options = Options()): Arithmetic =
    new FormArithmetic(field, Form(field, options), options)
}

/** What can be chosen about a field's arithmetic.
  *
  * @param price what a hardware multiplier is worth in LUTs: it decides how far products are split
  * @param montgomery Montgomery's form instead of the one that fits the modulus best
  * @param twin multiplications by a function in C++, bit for bit and cycle for cycle the same; for simulation only
  */
case class Options(price: Price = Price(), chain: Int = 4, montgomery: Boolean = false, twin: Boolean = false)
