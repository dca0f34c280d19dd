package proofmill.hash

import spinal.core._

/** BLAKE2b (RFC 7693): its constants and its mixing function G as hardware. */
object Blake2b {

  /** Initialisation vector: the first 64 fractional bits of the square roots of the first eight primes. */
  val iv: Seq[BigInt] = Primes.first(8).map(p => Primes.root(BigInt(p) << 128, 2) & ((BigInt(1) << 64) - 1))

  /** Message schedule, RFC 7693 section 2.7; rounds 10 and 11 repeat rounds 0 and 1. */
  val sigma: Seq[Seq[Int]] = {
    val ten = Seq(
      Seq(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
      Seq(14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3),
      Seq(11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4),
      Seq(7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8),
      Seq(9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13),
      Seq(2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9),
      Seq(12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11),
      Seq(13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10),
      Seq(6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5),
      Seq(10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0)
    )
    ten ++ ten.take(2)
  }

  /** The state words (a, b, c, d) of the i-th G of a column step and of a diagonal step. */
  val columns: Seq[Seq[Int]] = (0 until 4).map(i => Seq(i, 4 + i, 8 + i, 12 + i))
  val diagonals: Seq[Seq[Int]] = (0 until 4).map(i => Seq(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4))

  /** The state between the two halves of G: its new a and c, its old b and d.
    *
    * The new b and d are b ^ c and d ^ a, rotated. The lookup tables of the next adder compute the exclusive or at no cost,
    * so they are not computed before the second half uses them.
    */
  case class Middle(a: UInt, b: Bits, c: UInt, d: Bits)

  /** First half of G: a += b + x; d = (d ^ a) >>> 32; c += d; b = (b ^ c) >>> 24. The last operation is deferred to the
    * second half.
    */
  def firstHalf(a: UInt, b: Bits, c: UInt, d: Bits, x: Option[UInt]): Middle = {
    val a1 = x.fold(a + b.asUInt)(a + b.asUInt + _)
    val c1 = c + (d ^ a1.asBits).rotateRight(32).asUInt
    Middle(a1, b, c1, d)
  }

  /** Second half of G: a += b + y; d = (d ^ a) >>> 16; c += d; b = (b ^ c) >>> 63. */
  def secondHalf(m: Middle, y: Option[UInt]): Seq[Bits] = {
    val b1 = (m.b ^ m.c.asBits).rotateRight(24)
    val d1 = (m.d ^ m.a.asBits).rotateRight(32)
    val a2 = y.fold(m.a + b1.asUInt)(m.a + b1.asUInt + _)
    val d2 = (d1 ^ a2.asBits).rotateRight(16)
    val c2 = m.c + d2.asUInt
    val b2 = (b1 ^ c2.asBits).rotateRight(63)
    Seq(a2.asBits, b2, c2.asBits, d2)
  }
}

/** The primes and roots from which the constants of BLAKE2b and SHA-2 are derived. */
object Primes {
  def first(count: Int): Seq[Int] =
    Iterator.from(2).filter(n => (2 until n).forall(d => d * d > n || n % d != 0)).take(count).toSeq

  /** Returns the largest r with r^degree <= value, by Newton's iteration from above. */
  def root(value: BigInt, degree: Int): BigInt = {
    def next(r: BigInt) = (r * (degree - 1) + value / r.pow(degree - 1)) / degree
    Iterator.iterate((BigInt(1) << (value.bitLength / degree + 1), BigInt(0))) { case (r, _) => (next(r), r) }
      .drop(1)
      .find { case (now, before) => now >= before }
      .get
      ._2
  }
}
