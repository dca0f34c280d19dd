package proofmill.pairing

import proofmill.field.{Bound, Residue}
import spinal.core._
import spinal.lib._

/** A register as a term. The operations apply in this order: conjugate (`conj`), times xi (`xi`), times 3 (`triple`), times
  * 2^shift, negate (`minus`). `on`: the term is used.
  */
case class SumTerm(width: Int) extends Bundle {
  val value = Bits(width bits)
  val on, minus, triple, xi, conj = Bool()
  val shift = UInt(2 bits)
}

/** Adds four terms and an external value and reduces the sum; both coordinates, digit by digit.
  *
  *   1. Each term: x0 - x1 and x0 + x1 if it is multiplied by xi, times three if it is tripled, as a sum of up to four
  *      shifted digits. Its complement if it is negated.
  *   2. The sum of the terms.
  *   3. The reduction.
  */
class LinearUnit(arithmetic: Fp2Arithmetic) extends Component {
  import arithmetic.{base, digits, register}
  private val coordinate = digits * register.width
  val io = new Bundle {
    val terms = in(Vec.fill(LinearSum.terms)(SumTerm(2 * coordinate))) // terms, one cycle after the word's issue
    val outside = in(Bits(2 * coordinate bits)) // 0 if there is no external value
    val result = out(Bits(2 * coordinate bits)) // valid sumLatency cycles after the terms
  }
  private val largest = register * (2 * 3 * 8)
  private val total = largest * LinearSum.terms + register
  private val range = Bound.magnitude(Seq(total.low.abs, total.high.abs).max * 2)
  require(range.within(base.reducible), s"a sum within $range cannot be reduced")
  private val width = range.width

  private def coordinates(bits: Bits): Seq[Seq[SInt]] =
    bits.subdivideIn(2 slices).map(_.subdivideIn(digits slices).map(_.asSInt).toSeq).toSeq

  /** Returns a term's digits. Negated ones are complements, so they are 1 too small. */
  private def prepared(term: SumTerm): Seq[Seq[SInt]] = {
    val Seq(x0, x1) = coordinates(term.value)
    def digit(own: SInt, ownMinus: Bool, other: SInt, otherMinus: Bool) = {
      val sum = new DigitSum(register.width)
      sum.io.own := own
      sum.io.ownMinus := ownMinus
      sum.io.other := other
      sum.io.otherMinus := otherMinus
      sum.io.both := term.xi
      val once = sum.io.sum
      val tripled = term.triple ? (once + (once |<< 1)) | once
      val shifted = (tripled.resize(width) << term.shift).resize(width)
      RegNext((shifted ^ S(width bits, default -> term.minus)).andMask(term.on))
    }
    val zipped = x0.zip(x1)
    Seq(
      zipped.map { case (p, q) => digit(p, False, q, !term.conj) }, // x0 - x1; x0 + x1 for a conjugate
      zipped.map { case (p, q) => digit(q, term.conj, p, False) }
    )
  }
  private val terms = io.terms.map(prepared).toSeq
  private val outside = coordinates(RegNext(io.outside))
  private val ones = RegNext(CountOne(io.terms.map(t => t.on && t.minus)))
  private val sums = for (c <- 0 until 2) yield {
    val digitSums = Cat((0 until digits).map { i =>
      val all = terms.map(_(c)(i)) :+ outside(c)(i).resize(width) :+ ones.intoSInt.resize(width)
      RegNext(all.reduceBalancedTree(_ + _)).resize(base.reducible.width).asBits
    })
    base.reduce(Residue(digitSums, digits, base.reducible, 0)).bits(base.reduceLatency, register)
  }
  io.result := Cat(sums)
}

/** Adds two digits, or passes the first one. At most one of them is negated; its 1 enters as the carry. It is a module of its
  * own, so that each bit of the sum is one function of the inputs, independent of the logic that follows.
  */
private class DigitSum(width: Int) extends Component {
  private val wide = width + 4
  val io = new Bundle {
    val own, other = in(SInt(width bits)) // digits
    val ownMinus, otherMinus, both = in(Bool()) // `own` or `other` is negated; `other` is added
    val sum = out(SInt(wide bits)) // sum, in the same cycle
  }
  private def signed(x: SInt, minus: Bool) = x.resize(wide) ^ S(wide bits, default -> minus)
  private val p = signed(io.own, io.ownMinus)
  private val q = signed(io.other, io.otherMinus).andMask(io.both)
  io.sum := ((p @@ True) + (q @@ (io.ownMinus || io.otherMinus && io.both))).dropLow(1).asSInt
}
