package proofmill.field

import proofmill.spec.Field

/** Plain integers of any odd modulus, reduced by tables: one integer, least residues of its higher chunks.
  *
  *   1. Of the product x the lowest bits remain; each chunk c 2^s of the others is replaced by its least residue modulo p
  *      from a table. The words are added limb by limb, so that no carry runs far.
  *   2. The limbs' sum is a few bits longer than p. What the highest limb has in excess goes through tables once more.
  *   3. The limbs become one integer, a few p at most.
  */
class Tables(field: Field, tempo: Tempo, lazyBits: Int) extends Form {
  private val p = field.modulus
  private val limb = 60
  private val limbs = (field.bits + 2 + limb - 1) / limb

  /** Bits of the integer that remain as they are. */
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
