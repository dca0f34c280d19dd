package proofmill.field

import proofmill.arith.NonAdjacent
import proofmill.spec.Field

/** A sparse prime 2^n - c whose products are folded once, in one sum. The product arrives as low + 2^n high without a carry
  * between the two, and the bits of either are replaced by congruent weights.
  *
  * Let 2^s be a power of two in c, written as a sum of signed ones. Bit 2n - s has the weight c 2^(n - s); that power
  * contributes 2^n to it, which is congruent to c. From there on the bits get another weight: the residue nearest to 0 of the
  * lowest of them, which again has few powers of two. For secp256k1, c = 2^32 + 2^10 - 2^6 + 2^4 + 1:
  *
  *   bits        0 …  256 …   480 …             502 …                          506 …   508 …   512 …
  *   weight      1    c       977 2^224 + c     c 2^22 + c - 47 2^246          …
  *
  * All bits of one weight together are less than p, hence the result is at most a few p.
  */
class SingleFold(field: Field, tempo: Tempo, lazyBits: Int, fold: Seq[(Int, BigInt)])
    extends SparsePrime(field, tempo, lazyBits, Seq(fold)) {
  private val n = field.bits
  private val c = (BigInt(1) << n) - field.modulus

  override def cut: Option[Int] = Some(n)

  override def afterProduct: Reduction = {
    val starts = n +: NonAdjacent(c).map { case (s, _) => 2 * n - s }.sorted
    val slices = starts.zip(starts.tail.map(Option(_)) :+ None).map { case (from, until) =>
      Slice(from - n, until.map(_ - n))
    }
    Reduction(Seq(
      Expand(Seq(Seq(Slice(0, n), Slice(n, None)), slices)),
      Combination(Seq(Seq(BigInt(1), c) ++ starts.map(nearest)), tempo.pace)
    ))
  }

  /** Returns the residue of 2^bit that is nearest to 0. */
  private def nearest(bit: Int): BigInt = {
    val least = field.residue(BigInt(1) << bit)
    if (2 * least > field.modulus) least - field.modulus else least
  }
}
