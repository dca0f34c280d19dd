package proofmill.field

import proofmill.arith.Timed
import spinal.core._

/** A residue in a pipeline: its digits, all of the same cycle, and their interval.
  *
  * The [[Arithmetic]] that made it defines the integer that the digits represent.
  */
class Residue(val digits: Seq[Timed[SInt]], val bound: Bound) {
  require(
    digits.nonEmpty && digits.forall(_.cycle == digits.head.cycle),
    "a residue's digits belong to different cycles"
  )

  val cycle: Int = digits.head.cycle

  /** Concatenates the digits in the cycle `later`, first digit lowest, each as wide as `bound` requires. */
  def bits(later: Int, bound: Bound = bound): Bits = {
    require(this.bound.within(bound), s"a digit of ${this.bound} does not fit $bound")
    Cat(digits.map(_.at(later).resize(bound.width).asBits))
  }
}

object Residue {

  /** The residue whose digits are concatenated in `bits`. */
  def apply(bits: Bits, digits: Int, bound: Bound, cycle: Int): Residue =
    new Residue(bits.subdivideIn(digits slices).map(digit => Timed(digit.asSInt, cycle)).toSeq, bound)
}
