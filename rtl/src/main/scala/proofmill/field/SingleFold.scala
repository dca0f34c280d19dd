package proofmill.field

import proofmill.arith.NonAdjacent
import proofmill.spec.Field

/** A sparse prime 2^n - c whose products are folded once, in one sum: the product comes as low + 2^n high, without a carry
  * between the two, and the bits of either are replaced by what they are worth.
  *
  * Let 2^s be a power of two in c, as a sum of signed ones. Bit 2n - s is worth c 2^(n - s), of which that power has
  * just become 2^n, so that it is c once more. From there on bits have another weight: the residue next to 0 of the
  * lowest of them, and again few powers of two. For secp256k1, c = 2^32 + 2^10 - 2^6 + 2^4 + 1:
  *
  *   bits        0 …  256 …   480 …             502 …                          506 …   508 …   512 …
  *   worth       1    c       977 2^224 + c     c 2^22 + c - 47 2^246          …
  *
  * All bits of one weight are less than p together, hence the result is a few p.
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

  /** The residue of 2^bit that is next to 0. */
  private def nearest(bit: Int): BigInt = {
    val least = field.residue(BigInt(1) << bit)
    if (2 * least > field.modulus) least - field.modulus else least
  }
}
