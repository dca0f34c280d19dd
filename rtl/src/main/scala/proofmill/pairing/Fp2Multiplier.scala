package proofmill.pairing

import proofmill.arith.Copies
import spinal.core._
import spinal.lib._

/** Two registers as a factor, a ± b; both coordinates, digit by digit. `on`: b is used; `minus`: b is subtracted. */
case class FactorTerms(width: Int) extends Bundle {
  val a, b = Bits(width bits)
  val on, minus = Bool()
}

/** A multiplier of Fp2 from two multipliers of Fp; [[Mode]] selects the operation of each cycle. With a = a0 + a1 u, b = b0 +
  * b1 u:
  *
  * {{{
  *   a b = (a0 b0 - a1 b1) + ((a0 + a1)(b0 + b1) - a0 b0 - a1 b1) u      outer: a0 b0, a1 b1; inner: (a0 + a1)(b0 + b1)
  *   a^2 = (a0 + a1)(a0 - a1) + 2 a0 a1 u
  * }}}
  *
  * Pipeline stages:
  *
  *   1. Add the terms of the factors.
  *   2. Select each multiplier's operands from the factors of this cycle or of the cycle before.
  *   3. Multiply; the products are not reduced.
  *   4. Select the products that form a result from those of this cycle and of the cycle before.
  *   5. Add and reduce them.
  */
class Fp2Multiplier(arithmetic: Fp2Arithmetic) extends Component {
  import arithmetic.{digits, factor, long, register}
  private val coordinate = digits * register.width
  val io = new Bundle {
    val mode = in(UInt(3 bits)) // the number of a [[Mode]]
    val a, b = in(FactorTerms(2 * coordinate)) // factors, one cycle after the word's issue
    val result = out(Bits(2 * coordinate bits)) // valid mulLatency cycles after the factors
  }

  private type Residue = Seq[SInt]
  private def coordinates(bits: Bits): Seq[Residue] =
    bits.subdivideIn(2 slices).map(_.subdivideIn(digits slices).map(_.asSInt).toSeq).toSeq
  private def each(x: Residue, y: Residue)(f: (SInt, SInt) => SInt): Residue =
    x.zip(y).map { case (a, b) => f(a, b).resize(factor.width) }
  private def wide(x: Residue): Residue = x.map(_.resize(factor.width))
  private def held(x: Residue): Residue = x.map(RegNext(_))
  private def is(mode: UInt, some: Mode*): Bool = some.map(m => mode === m.number).reduce(_ || _)

  // 1. a ± b: b's complement, and 1.
  private def total(terms: FactorTerms): Seq[Residue] =
    coordinates(terms.a).zip(coordinates(terms.b)).map { case (a, b) =>
      RegNext(Cat(each(a, b) { (x, y) =>
        val other = (y.resize(factor.width) ^ S(factor.width bits, default -> terms.minus)).andMask(terms.on)
        x.resize(factor.width) + other + (terms.on && terms.minus).asUInt.intoSInt.resize(factor.width)
      }.map(_.asBits))).subdivideIn(digits slices).map(_.asSInt).toSeq
    }
  private val mode = RegNext(io.mode)
  private val Seq(a0, a1) = total(io.a)
  private val Seq(b0, b1) = total(io.b)

  // 2. The operands of both multipliers.
  private val (sumA, sumB, difference) = (each(a0, a1)(_ + _), each(b0, b1)(_ + _), each(a0, a1)(_ - _))
  private def choose(choices: (Seq[Mode], Residue)*): Bits = RegNext(Cat(choices.map { case (modes, residue) =>
    is(mode, modes: _*).mux(Cat(residue.map(_.asBits)), B(0, digits * factor.width bits))
  }.reduceBalancedTree(_ | _)))
  import Mode._
  private val x, y = arithmetic.multiplier()
  x.io.a := choose(
    Seq(Outer, Stretch, Pair) -> a0,
    Seq(Inner) -> held(sumA),
    Seq(Rest) -> held(a0),
    Seq(Square) -> sumA
  )
  x.io.b := choose(
    Seq(Outer, Stretch, Pair) -> b0,
    Seq(Inner) -> held(sumB),
    Seq(Rest) -> held(b0),
    Seq(Square) -> difference
  )
  y.io.a := choose(
    Seq(Outer, Stretch, Pair) -> a1,
    Seq(Inner) -> sumA,
    Seq(Rest) -> held(a1),
    Seq(Square) -> a0.map(d => (d << 1).resize(factor.width))
  )
  y.io.b := choose(
    Seq(Outer, Pair) -> b1,
    Seq(Inner) -> sumB,
    Seq(Rest) -> held(b1),
    Seq(Square) -> a1,
    Seq(Stretch) -> b0
  )

  // 4. v0, v1 and m of this product: v0 and v1 are those of the cycle before if `Inner` completes it; m is that of the cycle before if `Rest`
  // completes it.
  private val products = arithmetic.product.latency
  private def residues(bits: Bits): Residue = bits.subdivideIn(digits slices).map(_.asSInt.resize(long.width)).toSeq
  private val (now0, now1) = (residues(x.io.product), residues(y.io.product))
  private val (before0, before1) = (held(now0), held(now1))
  private val done = Delay(mode, products)

  /** Registers that decode the mode, one for each digit of a coordinate to limit the fan-out. */
  private def marks(some: Mode*): Seq[Bool] = Copies(is(done, some: _*), digits).toSeq
  private def either(when: Seq[Bool], yes: Residue, no: Residue): Residue =
    when.zip(yes.zip(no)).map { case (now, (p, q)) => now ? p | q }
  private def only(when: Seq[Bool], x: Residue): Residue = when.zip(x).map { case (now, p) => p.andMask(now) }
  private def v0 = either(marks(Inner), before0, now0)
  private def v1 = either(marks(Inner), before1, now1)
  private val first = held(v0)
  private val firstLess = held(only(marks(Inner, Rest), v1))
  private val second = held(either(marks(Inner, Rest), either(marks(Inner), now0, before1), now1))
  private val secondLess = held(only(marks(Inner, Rest), v0))

  // 5. c0 = v0 - v1, c1 = m - v0 - v1; in the other modes the two products.
  private def reduced(residue: Residue): Bits = {
    val unit = arithmetic.reducer()
    unit.io.a := Cat(held(residue).map(_.asBits))
    Cat(unit.io.reduced.subdivideIn(digits slices).map(_.asSInt.resize(register.width).asBits))
  }
  private val c0 = first.zip(firstLess).map { case (p, q) => p - q }
  private val c1 = second.zip(secondLess).zip(firstLess).map { case ((p, q), r) => p - q - r }
  io.result := reduced(c1) ## reduced(c0)
}
