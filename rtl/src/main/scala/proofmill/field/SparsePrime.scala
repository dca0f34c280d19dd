package proofmill.field

import proofmill.spec.Field

/** Plain integers modulo a prime 2^n - c with small or sparse c (Solinas, Generalized Mersenne numbers, 1999).
  *
  * The bits from n on have c times their weight; a multiplication by the constant c is a few signed shifts. Each fold
  * shortens the integer by n minus the bits of c, until it exceeds 2^n by a bit or two.
  */
class SparsePrime(field: Field, tempo: Tempo, lazyBits: Int, folds: Seq[Seq[(Int, BigInt)]]) extends Form {
  val factor: Bound = Bound.magnitude((BigInt(1) << (field.bits + lazyBits)) - 1)
  val reducible: Bound = Bound.magnitude(BigInt(1) << (field.bits + lazyBits + 8))

  def afterProduct: Reduction = Reduction(folds.flatMap(cut))
  def afterSums: Reduction = Reduction(cut(folds.last))

  /** Cuts the integer at some bits; each piece gets a weight. */
  private def cut(pieces: Seq[(Int, BigInt)]): Seq[Step] = {
    for ((from, weight) <- pieces)
      require(field.residue(weight - (BigInt(1) << from)) == 0, s"${field.name}: 2^$from is not $weight")
    val ends = pieces.tail.map { case (from, _) => Option(from) } :+ None
    val slices = pieces.zip(ends).map { case ((from, _), until) => Slice(from, until) }
    Seq(Expand(Seq(slices)), Combination(Seq(pieces.map(_._2)), tempo.pace))
  }
}

object SparsePrime {

  /** 2^256 = 2^32 + 977 modulo the prime of secp256k1's coordinates. */
  def secp256k1(field: Field, tempo: Tempo): SparsePrime = {
    val fold = Seq(0 -> BigInt(1), 256 -> ((BigInt(1) << 32) + 977))
    if (tempo.pace.flat) new SingleFold(field, tempo, 7, fold) else new SparsePrime(field, tempo, 4, Seq(fold, fold))
  }

  /** 2^64 = 2^32 - 1 and 2^96 = -1 modulo 2^64 - 2^32 + 1. */
  def goldilocks(field: Field, tempo: Tempo): SparsePrime = {
    val epsilon = (BigInt(1) << 32) - 1
    new SparsePrime(
      field,
      tempo,
      2,
      Seq(Seq(0 -> BigInt(1), 64 -> epsilon, 96 -> BigInt(-1)), Seq(0 -> BigInt(1), 64 -> epsilon))
    )
  }
}
