package proofmill.field

import proofmill.arith.Pace
import proofmill.spec.Field

/** A representation of the residues of a field, and the reductions that shorten results.
  *
  * Bounds of results, latencies and hardware are derived from it.
  */
trait Form {
  def digits: Int = 1
  def base: BigInt = 0
  def scale: BigInt = 1

  /** The interval of a factor's digits. */
  def factor: Bound

  /** The bit at which the product of two factors is cut into two coefficients, if it is cut. */
  def cut: Option[Int] = None

  /** Reduces the coefficients of the product of two factors to digits well within `factor`. */
  def afterProduct: Reduction

  /** Reduces digits as long as the folded coefficients of a product of two factors to digits well within `factor`. */
  def afterWide: Reduction = afterProduct

  /** The interval of the digits that `afterSums` accepts. */
  def reducible: Bound

  /** Reduces digits within `reducible` to digits well within `factor`. */
  def afterSums: Reduction

  /** Returns the digits of a canonical integer that is already multiplied by `scale`. */
  def split(value: BigInt): Seq[BigInt] = Seq(value)
}

/** Limits of the logic in one cycle, and the length of table chains.
  *
  * @param chain tables that are added one after the other, one each cycle, before the chains are summed: a larger value costs
  * less area and more latency
  */
case class Tempo(pace: Pace = Pace(), chain: Int = 4)

object Form {

  /** Returns the form that suits a field. */
  def apply(field: Field, options: Options): Form = {
    val tempo = Tempo(options.price.pace, options.chain)
    // A carry chain in base z is as long as a coefficient of the product.
    // Small fields get small factors, so that tests can try every pair of them.
    val lazyBits = (if (field.bits < 16) 2 else 4) + options.spare
    // A short modulus may need longer factors, so that a reduced sum is one.
    def shortest(make: Int => Form): Form = {
      val forms = Iterator.range(lazyBits, lazyBits + 4).map(make)
      forms
        .find(form => form.afterSums.result(Seq(form.reducible)).within(form.factor))
        .getOrElse(sys.error(s"${field.name}: no length of factors holds a reduced sum"))
    }
    if (options.montgomery) shortest(new Montgomery(field, tempo, options.price, _))
    else if (field.baseZ.nonEmpty && !options.plain)
      new BaseZ(field, tempo.copy(pace = tempo.pace.ofCoefficients))
    else field.name match {
      case "secp256k1_fp" => SparsePrime.secp256k1(field, tempo)
      case "goldilocks"   => SparsePrime.goldilocks(field, tempo)
      case _              => shortest(new Tables(field, tempo, _))
    }
  }
}
