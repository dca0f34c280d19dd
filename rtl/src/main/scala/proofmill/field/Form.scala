package proofmill.field

import proofmill.arith.Pace
import proofmill.spec.Field

/** How residues of a field are represented, and how the result of a multiplication becomes short again.
  *
  * What is not said here follows from it: the bounds of results, latencies, and hardware.
  */
trait Form {
  def digits: Int = 1
  def base: BigInt = 0
  def scale: BigInt = 1

  /** What a digit of a factor may be. */
  def factor: Bound

  /** The bit where the product of two factors is cut into two coefficients, if it is. */
  def cut: Option[Int] = None

  /** From the coefficients of the product of two factors to digits well within `factor`. */
  def afterProduct: Reduction

  /** From digits as long as the coefficients of a product of two factors, already folded, to digits well within `factor`. */
  def afterWide: Reduction = afterProduct

  /** What a digit may be before `afterSums`. */
  def reducible: Bound

  /** From digits within `reducible` to digits well within `factor`. */
  def afterSums: Reduction

  /** The digits of a canonical integer (already times `scale`). */
  def split(value: BigInt): Seq[BigInt] = Seq(value)
}

/** How fast and how large: what a form's tables and adders may do in a cycle.
  *
  * @param chain tables added one after the other, one a cycle, before the chains are summed: longer is smaller and later
  */
case class Tempo(pace: Pace = Pace(), chain: Int = 4)

object Form {

  /** The form that fits a field. */
  def apply(field: Field, options: Options): Form = {
    val tempo = Tempo(options.price.pace, options.chain)
    // A carry chain in base z is as long as a coefficient of the product.
    // Small fields get small factors, so that every pair of them can be tried.
    val lazyBits = if (field.bits < 16) 2 else 4
    if (options.montgomery) new Montgomery(field, tempo, options.price, lazyBits)
    else if (field.baseZ.nonEmpty)
      new BaseZ(field, tempo.copy(pace = tempo.pace.ofCoefficients))
    else field.name match {
      case "secp256k1_fp" => SparsePrime.secp256k1(field, tempo)
      case "goldilocks"   => SparsePrime.goldilocks(field, tempo)
      case _              => new Tables(field, tempo, lazyBits)
    }
  }
}
