package proofmill.field

import proofmill.spec.Field

/** Plain integers modulo any odd modulus, reduced by tables of the least residues of their higher chunks.
  *
  *   1. The lowest bits of the product x are kept. A table replaces each chunk c 2^s of the others by its least residue
  *      modulo p. The words are added limb by limb, so that no carry propagates far.
  *   2. The sum of the limbs is a few bits longer than p. Tables reduce the excess of the highest limb once more.
  *   3. The limbs are added to one integer, a few p at most.
  */
class Tables(field: Field, tempo: Tempo, lazyBits: Int) extends Form {
  private val p = field.modulus
  private val limb = 60
  private val limbs = (field.bits + 2 + limb - 1) / limb

  /** Number of low bits that are kept. */
  private val keep = field.bits + 1

  val factor: Bound = Bound.magnitude((BigInt(1) << (field.bits + lazyBits)) - 1)
  val reducible: Bound = Bound.magnitude(BigInt(1) << (field.bits + lazyBits + 8))

  /** The limbs of the least residues of chunks from bit `shift` on, of an integer 2^shift x. */
  private def residues(keep: Int, shift: Int): Seq[Part] = (0 until limbs).map { i =>
    val from = i * limb
    val until = ((i + 1) * limb).min(keep + shift)
    val low = Option.when(from >= shift && from < until)(Slice(from - shift, until - shift))
    def image(x: BigInt) = (field.residue(x << shift) >> from) & ((BigInt(1) << limb) - 1)
    ChunkTables(keep, low, image, tempo.pace, tempo.chain)
  }

  private val weights: Seq[BigInt] = (0 until limbs).map(i => BigInt(1) << (i * limb))

  def afterProduct: Reduction = {
    val last = (limbs - 1) * limb
    val excess = (0 until limbs - 1).map(_ => Seq(Slice.whole)) :+ residues(keep - last, last)
    Reduction(Seq(
      Expand(Seq(residues(keep, 0))),
      Expand(excess),
      Combination(Seq(weights.init ++ weights), tempo.pace)
    ))
  }

  def afterSums: Reduction = Reduction(Seq(Expand(Seq(residues(keep, 0))), Combination(Seq(weights), tempo.pace)))
}
