package proofmill.arith

/** The non-adjacent form: an integer as the sum of signed powers of two of which no two are neighbours. No sum of signed
  * powers of two has fewer terms.
  *
  * Source: Hankerson, Menezes and Vanstone, "Guide to Elliptic Curve Cryptography", algorithm 3.30; here for negative
  * integers too.
  */
object NonAdjacent {

  /** Shifts and signs (true: negative) of the terms, the lowest first; none for 0. */
  def apply(k: BigInt): Seq[(Int, Boolean)] =
    Iterator.iterate((k, 0)) { case (rest, shift) => ((rest - digit(rest)) / 2, shift + 1) }
      .takeWhile(_._1 != 0)
      .collect { case (rest, shift) if rest.testBit(0) => (shift, digit(rest) < 0) }
      .toSeq

  /** The lowest digit: 0 of an even integer; of an odd one the digit behind which the next is 0. */
  private def digit(k: BigInt): Int = if (!k.testBit(0)) 0 else if (k.testBit(1)) -1 else 1
}
