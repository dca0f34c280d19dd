package proofmill.field

import proofmill.arith.Price
import proofmill.spec.Field

/** Montgomery's form for any odd modulus: a residue a is represented by 2^k a (Montgomery, Modular multiplication without
  * trial division, 1985).
  *
  * A product x becomes (x + q p) / 2^k with q = -x / p mod 2^k; the division is exact. There is no final subtraction: factors
  * are small compared with 2^k, so the result exceeds p only slightly.
  */
class Montgomery(field: Field, tempo: Tempo, price: Price, lazyBits: Int) extends Form {
  private val p = field.modulus
  private val k = field.bits + lazyBits + 2
  override val scale: BigInt = BigInt(1) << k

  val factor: Bound = Bound.magnitude((BigInt(1) << (field.bits + lazyBits)) - 1)
  val reducible: Bound = Bound.magnitude(BigInt(1) << (field.bits + lazyBits + 8))

  def afterProduct: Reduction = {
    val minusInverse = scale - p.modInverse(scale)
    // (x + q p) / 2^k = floor(x / 2^k) + floor(q p / 2^k) + 1 if x is not 0 mod 2^k: the low parts then add up to 2^k.
    val quotient = Then(Then(Slice(0, k), Times(minusInverse, price)), Slice(0, k))
    val multiple = Then(Then(quotient, Times(p, price)), Slice(k, None))
    Reduction(Seq(
      Expand(Seq(Seq(Slice(k, None), multiple, NotZero(k)))),
      Combination(Seq(Seq.fill(3)(BigInt(1))), tempo.pace)
    ))
  }

  def afterSums: Reduction = new Tables(field, tempo, lazyBits).afterSums
}
