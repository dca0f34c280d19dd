package proofmill.arith

/** The non-adjacent form: an integer as a sum of signed powers of two without neighbours. No other sum of signed powers of
  * two has fewer terms.
  *
  * Source: Hankerson, Menezes and Vanstone, "Guide to Elliptic Curve Cryptography", algorithm 3.30, extended to negative
  * integers.
  */
object NonAdjacent {

  /** Returns shift and sign (true: negative) of each term, lowest shift first; no terms for 0. */
  def apply(k: BigInt): Seq[(Int, Boolean)] =
    Iterator.iterate((k, 0)) { case (rest, shift) => ((rest - digit(rest)) / 2, shift + 1) }
      .takeWhile(_._1 != 0)
      .collect { case (rest, shift) if rest.testBit(0) => (shift, digit(rest) < 0) }
      .toSeq

  /** Returns the lowest digit: 0 if `k` is even, else the digit that makes the next digit 0. */
  private def digit(k: BigInt): Int = if (!k.testBit(0)) 0 else if (k.testBit(1)) -1 else 1
}
