package proofmill.field

import proofmill.spec.{BaseZ => Base, Field}

/** Digits in base z, where a multiple of p is a polynomial in z with small coefficients and leading coefficient 1.
  *
  * The family of polynomial modular number systems (Bajard, Imbert, Plantard: Modular number systems: beyond the Mersenne
  * family, SAC 2004); for pairing-friendly fields Fan, Vercauteren, Verbauwhede: Faster Fp-arithmetic for cryptographic
  * pairings on Barreto-Naehrig curves, CHES 2009. With n digits and P(z) = z^n + f(n-1) z^(n-1) + … + f(0):
  *
  *   1. The product of two residues is a polynomial of degree 2n - 2; z^n = -f(n-1) z^(n-1) - … - f(0) folds it, the
  *      highest coefficient first, to n coefficients of about twice a digit's length.
  *   2. A carry pass writes each coefficient as r + q z ([[Divide]]). The q of digit i goes to digit i + 1, that of the
  *      last digit by the fold of z^n to several. No carry runs across digits.
  *   3. A second pass, where few bits are left to divide and r comes from tables as well, makes the digits short; they are then within `factor` with room for a lazy addition.
  *
  * @param spare bits by which a factor's digits may be longer than z: room for sums in front of a multiplication
  */
class BaseZ(field: Field, tempo: Tempo, spare: Int = 2) extends Form {
  private val form: Base = field.baseZ.getOrElse(sys.error(s"${field.name} has no base_z"))
  private val z = form.z
  override val digits: Int = form.polynomial.size - 1
  override val base: BigInt = z

  /** z^digits as a polynomial of lower degree. */
  private val lowered: Seq[BigInt] = {
    require(form.polynomial.last == 1, s"${field.name}: base_z has leading coefficient ${form.polynomial.last}, not 1")
    form.polynomial.init.map(c => BigInt(-c))
  }

  // Two differences of differences of digits within 2^66 are products of 68 bits, which is what nine tiles do.
  val factor: Bound = Bound.magnitude((BigInt(1) << (z.bitLength + spare)) - 1)
  val reducible: Bound = Bound.magnitude(BigInt(1) << (z.bitLength + 12))

  def afterProduct: Reduction = Reduction(folds ++ afterWide.steps)

  /** From the coefficients of a product to as many as a residue has digits, which are still long; as soon as it can be. */
  def fold: Reduction = together
  override def afterWide: Reduction = Reduction(carry(Divide(z, tempo)) ++ carry(tables))
  def afterSums: Reduction = Reduction(carry(tables))

  /** Degrees 2n - 2 down to n: one a step, or all at once, whichever is smaller. */
  private def folds: Seq[Step] = {
    val top = 2 * digits - 2
    val coefficients = (0 to top).map(k => factor * factor * (digits - (digits - 1 - k).abs))
    val single = Reduction((top to digits by -1).map(degree => Combination(folded(degree, degree), tempo.pace)))
    Seq(single, together).minBy(_.adderLuts(coefficients)).steps
  }
  private def together = Reduction(Seq(Combination(folded(2 * digits - 2, digits), tempo.pace)))

  /** Weights that take the coefficients of degrees `low` to `high`, the highest, to lower degrees. */
  private def folded(high: Int, low: Int): Seq[Seq[BigInt]] = {
    val unchanged = Seq.tabulate(high + 1, high + 1)((i, j) => if (i == j) BigInt(1) else BigInt(0))
    (high to low by -1).foldLeft(unchanged) { (rows, degree) =>
      rows.init.zipWithIndex.map { case (row, i) =>
        val weight = lowered.applyOrElse(i + digits - degree, (_: Int) => BigInt(0))
        row.zip(rows.last).map { case (own, top) => own + weight * top }
      }
    }
  }

  /** r and q, each from tables of its own. */
  private def tables: Step = {
    val keep = z.abs.bitLength - 1
    val low = ChunkTables(keep, Some(Slice(0, keep)), Divide.remainder(_, z), tempo.pace, tempo.chain)
    val high = ChunkTables(keep, None, Divide.quotient(_, z), tempo.pace, tempo.chain)
    Expand(Seq.fill(digits)(Seq(low, high)))
  }

  /** A division of every digit, and each quotient to where it belongs. */
  private def carry(division: Step): Seq[Step] = {
    val out = (0 until digits).map { i =>
      // r(0), q(0), r(1), q(1), …
      (0 until digits).flatMap { j =>
        val r = if (i == j) 1 else 0
        val q = if (j == digits - 1) lowered(i) else if (i == j + 1) BigInt(1) else BigInt(0)
        Seq(BigInt(r), q)
      }
    }
    Seq(division, Combination(out, tempo.pace))
  }

  /** Of the residue next to 0: the last digit of a larger one would be too long. */
  override def split(value: BigInt): Seq[BigInt] = {
    val least = if (2 * value > field.modulus) value - field.modulus else value
    val lower = Iterator.iterate((least, BigInt(0))) { case (rest, _) =>
      (Divide.quotient(rest, z), Divide.remainder(rest, z))
    }.slice(1, digits).toSeq
    lower.map(_._2) :+ lower.last._1
  }
}
