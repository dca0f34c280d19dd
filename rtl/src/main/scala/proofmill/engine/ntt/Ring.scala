package proofmill.engine.ntt

import proofmill.arith.{Bound, Sum, Term, Timed}
import spinal.core._
import spinal.lib._

/** Integers modulo 2^96 + 1, of which 2^64 - 2^32 + 1 is a divisor: four signed digits to the base 2^24 with room above, lazily added.
  *
  * 2^24 times a value is a change of places and a sign, and 2^120 is the standard root of order 8. 2^39 is the one of order 64.
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

  /** Of a signed residue. */
  def of(residue: SInt): Quad = {
    def part(from: Int) = (False ## residue(from, base bits)).asSInt
    Quad(Seq(part(0), part(base), (residue >> (2 * base)).resize(fresh), S(0, fresh bits)))
  }

  /** Where digit `e` of 2^(24 turns) x comes from, and its sign (true: negative). */
  def source(e: Int, turns: Int): (Int, Boolean) = {
    val from = Math.floorMod(e - turns, 2 * count)
    (from % count, from >= count)
  }

  /** 2^(24 turns) times a value, `turns` from 0 to 7; a cycle later. */
  def turned(x: Quad, turns: UInt): Quad = {
    val chosen = (0 until count).map { e =>
      val value = Vec((0 until count).map(t => x.digits(source(e, t)._1)))(turns.take(2).asUInt)
      val sign = Vec((0 until 2 * count).map(t => Bool(source(e, t)._2)))(turns)
      val wide = value.resize(x.width + 1)
      RegNext((sign ? ~wide | wide) + (False ## sign).asSInt.resize(x.width + 1))
    }
    Quad(chosen)
  }

  /** 2^(3 steps) times a value, `steps` from 0 to 7, two cycles later: what leaves a digit's 24 bits is added to the next one. */
  def shifted(x: Quad, steps: UInt): Quad = {
    val wide = x.digits.map(d => Vec((0 until 8).map(s => (d << (3 * s)).resize(x.width + 21)))(steps))
    val low = wide.map(w => RegNext((False ## w(0, base bits)).asSInt))
    val high = wide.map(w => RegNext(w >> base))
    val width = (base + 2) max (x.width - 1)
    Quad((0 until count).map { e =>
      val carry = high(Math.floorMod(e - 1, count)).resize(width)
      RegNext(if (e == 0) low(e).resize(width) - carry else low(e).resize(width) + carry)
    })
  }

  /** 2^(39 power) times a value, three cycles later; `power` from 0 to 63. */
  def rotated(x: Quad, power: UInt): Quad = {
    val turns =
      CombInit(power).dontSimplifyIt() // a choice within a product would be too narrow for strict readers of Verilog
    val steps = (turns * U(13, 4 bits)).resize(6) // of three bits each
    shifted(turned(x, steps.drop(3).asUInt), RegNext(steps.take(3).asUInt))
  }
  val rotation = 3

  /** Bits of a digit that a core leaves. */
  val digitBits = 30

  /** How a residue is made of such digits: pieces with their weights. What is from bit 64 or bit 96 on is folded. */
  private case class Piece(digit: Int, from: Int, until: Option[Int], weight: BigInt) {
    private def limit = Bound.magnitude((BigInt(1) << (digitBits - 1)) - 1)
    def bound: Bound =
      until.fold(Bound(limit.low >> from, limit.high >> from))(to => Bound.unsigned(to - from))
    def of(x: Quad): SInt = {
      val digit = x.digits(this.digit).resize(digitBits)
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

  /** A residue within `bound` of digits below 2^28 in magnitude, and how much later that is. */
  def residue(x: Quad, bound: Bound): Timed[SInt] =
    Sum(pieces.map(piece => Term(Timed(piece.of(x), 0), piece.bound, piece.weight)), bound)
  def residueLatency(bound: Bound): Int = Sum.latency(pieces.map(piece => (piece.bound, piece.weight)), bound)
}
