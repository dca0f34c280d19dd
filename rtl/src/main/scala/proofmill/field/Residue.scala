package proofmill.field

import proofmill.arith.Timed
import spinal.core._

/** All values that a signed integer may have: `low` to `high`, both included. */
case class Bound(low: BigInt, high: BigInt) {
  require(low <= high, s"no value lies between $low and $high")

  def +(other: Bound): Bound = Bound(low + other.low, high + other.high)
  def -(other: Bound): Bound = Bound(low - other.high, high - other.low)
  def unary_- : Bound = Bound(-high, -low)
  def *(k: Int): Bound = if (k >= 0) Bound(low * k, high * k) else -this * -k
  def within(other: Bound): Boolean = other.low <= low && high <= other.high

  /** Bits of the narrowest SInt that holds every value. */
  def width: Int = 1 + low.bitLength.max(high.bitLength)
}

object Bound {
  def magnitude(largest: BigInt): Bound = Bound(-largest, largest)
}

/** A residue on its way through a pipeline: its digits, all of the same cycle, and what is known of each of them.
  *
  * What integer the digits stand for is the business of the [[Arithmetic]] that made it.
  */
class Residue(val digits: Seq[Timed[SInt]], val bound: Bound) {
  require(
    digits.nonEmpty && digits.forall(_.cycle == digits.head.cycle),
    "a residue's digits belong to different cycles"
  )

  val cycle: Int = digits.head.cycle

  /** The digits side by side as they are in a later cycle, first digit lowest, each as wide as `bound` has it. */
  def bits(later: Int, bound: Bound = bound): Bits = {
    require(this.bound.within(bound), s"a digit of ${this.bound} does not fit $bound")
    Cat(digits.map(_.at(later).resize(bound.width).asBits))
  }
}

object Residue {

  /** The residue whose digits stand side by side in `bits`. */
  def apply(bits: Bits, digits: Int, bound: Bound, cycle: Int): Residue =
    new Residue(bits.subdivideIn(digits slices).map(digit => Timed(digit.asSInt, cycle)).toSeq, bound)
}
