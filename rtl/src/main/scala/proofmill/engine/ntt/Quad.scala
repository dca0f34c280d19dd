package proofmill.engine.ntt

import proofmill.arith.{Bound, Sum, Term, Timed}
import spinal.core._
import spinal.lib._

/** Integers modulo 2^96 + 1, a multiple of 2^64 - 2^32 + 1: four signed digits in base 2^24 with spare high bits for lazy
  * additions.
  *
  * A multiplication by 2^24 rotates the digits with a change of sign. 2^120 is the standard root of order 8, and 2^39 that of
  * order 64.
  */
case class Quad(width: Int) extends Bundle {
  val digits = Vec(SInt(width bits), Quad.count)

  def resized(width: Int): Quad = Quad(digits.map(_.resize(width)).toSeq)
}

object Quad {
  val count = 4
  val base = 24

  /** Bits of a digit of a residue below 2^66 in magnitude. */
  val fresh: Int = base + 1

  def apply(digits: Seq[SInt]): Quad = {
    val quad = new Quad(digits.head.getWidth)
    for ((to, from) <- quad.digits.zip(digits)) to := from
    quad
  }

  /** Converts a signed residue. */
  def of(residue: SInt): Quad = {
    def part(from: Int) = (False ## residue(from, base bits)).asSInt
    Quad(Seq(part(0), part(base), (residue >> (2 * base)).resize(fresh), S(0, fresh bits)))
  }

  /** Returns the source of digit `e` of 2^(24 turns) x, and its sign (true: negative). */
  def source(e: Int, turns: Int): (Int, Boolean) = {
    val from = Math.floorMod(e - turns, 2 * count)
    (from % count, from >= count)
  }

  /** Multiplies by 2^(24 turns), `turns` from 0 to 7, with a latency of one cycle. */
  def turned(x: Quad, turns: UInt): Quad = {
    val chosen = placed(x, turns).map { case (value, sign) =>
      val wide = value.resize(x.width + 1)
      RegNext((sign ? ~wide | wide) + (False ## sign).asSInt.resize(x.width + 1))
    }
    Quad(chosen)
  }

  /** Returns the sources of the digits, and whether they are negated. */
  private def placed(x: Quad, turns: UInt): Seq[(SInt, Bool)] = (0 until count).map { e =>
    val value = Vec((0 until count).map(t => x.digits(source(e, t)._1)))(turns.take(2).asUInt)
    val sign = Vec((0 until 2 * count).map(t => Bool(source(e, t)._2)))(turns)
    (value, sign)
  }

  /** Multiplies by 2^(39 power), `power` from 0 to 63, with a latency of three cycles.
    *
    *   1. Rotate the digits.
    *   2. Shift them by a multiple of three bits, and complement the negative ones.
    *   3. Add each digit's bits above 24 to the next digit, and 1 to each complement.
    *
    * The high bits of the highest digit are subtracted from the lowest one, so they are complemented; for their 1, the
    * highest digit is decreased by 2^24.
    */
  def rotated(x: Quad, power: UInt): Quad = {
    val (turns, now) = split(power)
    val shift = RegNext(now)
    val placing = placed(x, turns)
    val signs = placing.map { case (_, sign) => RegNext(sign) }
    val parts = placing.zip(signs).zipWithIndex.map { case (((value, _), sign), e) =>
      val moved = RegNext(value)
      val wide = Vec((0 until 8).map(s => (moved << (3 * s)).resize(x.width + 21)))(shift)
      val right = sign ? ~wide | wide
      val high = right >> base
      if (e < count - 1) (RegNext((False ## right(0, base bits)).asSInt), RegNext(high))
      else (RegNext((True ## right(0, base bits)).asSInt), RegNext(~high))
    }
    val width = ((base + 1) max (x.width - 3)) + 1
    Quad((0 until count).map { e =>
      val (low, high) = (parts(e)._1, parts(Math.floorMod(e - 1, count))._2)
      def and(x: SInt, bit: Bool) = (x.resize(width) ## bit).asSInt
      RegNext((and(low, True) + and(high, RegNext(signs(e)))) >> 1)
    })
  }
  val rotation = 3

  /** Splits 2^(39 power) into 2^(24 turns + 3 steps). */
  private def split(power: UInt): (UInt, UInt) = {
    val whole =
      CombInit(power).dontSimplifyIt() // a selection within a product would be too narrow for strict readers of Verilog
    val steps = (whole * U(13, 4 bits)).resize(6)
    (steps.drop(3).asUInt, steps.take(3).asUInt)
  }

  /** Multiplies a residue by 2^(39 power), with a latency of two cycles; digits are not carried. */
  def rotated(residue: SInt, power: UInt): Quad = {
    val (turns, shift) = split(power)
    val width = residue.getWidth + 21
    require(width <= count * base, s"a residue of ${residue.getWidth} bits")
    val wide = RegNext(Vec((0 until 8).map(s => (residue << (3 * s)).resize(width)))(shift))
    val digits = (0 until count).map { e =>
      if (e < count - 1) (False ## wide(e * base, base bits)).asSInt else (wide >> (e * base)).resize(fresh)
    }
    turned(Quad(digits), RegNext(turns))
  }

  /** Bits of a core's output digit. */
  val digitBits = 30

  /** One piece of a digit with its weight in the residue. Pieces from bit 64 and from bit 96 on are folded. */
  private case class Piece(digit: Int, from: Int, until: Option[Int], weight: BigInt) {
    def bound(bits: Int): Bound = {
      val limit = Bound.magnitude((BigInt(1) << (bits - 1)) - 1)
      until.fold(Bound(limit.low >> from, limit.high >> from))(to => Bound.unsigned(to - from))
    }
    def of(x: Quad): SInt = {
      val digit = x.digits(this.digit)
      until.fold(digit >> from)(to => (False ## digit(from, to - from bits)).asSInt)
    }
  }
  private val pieces = {
    val epsilon = (BigInt(1) << 32) - 1
    Seq(
      Piece(0, 0, None, 1),
      Piece(1, 0, None, BigInt(1) << 24),
      Piece(2, 0, Some(16), BigInt(1) << 48),
      Piece(2, 16, None, epsilon),
      Piece(3, 0, Some(24), epsilon << 8),
      Piece(3, 24, None, -1)
    )
  }

  /** Returns a residue within `bound`, of digits greater than -2^(width - 1), with its latency. */
  def residue(x: Quad, bound: Bound): Timed[SInt] =
    Sum(pieces.map(piece => Term(Timed(piece.of(x), 0), piece.bound(x.width), piece.weight)), bound)
  def residueLatency(width: Int, bound: Bound): Int =
    Sum.latency(pieces.map(piece => (piece.bound(width), piece.weight)), bound)
}
