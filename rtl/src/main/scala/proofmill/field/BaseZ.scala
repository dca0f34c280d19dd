package proofmill.field

import proofmill.spec.{BaseZ => Base, Field}

/** Digits in base z, where a multiple of p is a monic polynomial in z with small coefficients.
  *
  * This belongs to the family of polynomial modular number systems (Bajard, Imbert, Plantard: Modular number systems: beyond
  * the Mersenne family, SAC 2004). For pairing-friendly fields see Fan, Vercauteren, Verbauwhede: Faster Fp-arithmetic for
  * cryptographic pairings on Barreto-Naehrig curves, CHES 2009. With n digits and P(z) = z^n + f(n-1) z^(n-1) + … + f(0):
  *
  *   1. The product of two residues is a polynomial of degree 2n - 2. z^n = -f(n-1) z^(n-1) - … - f(0) folds it, the
  *      highest coefficient first, to n coefficients of about twice a digit's length.
  *   2. A carry pass writes each coefficient as r + q z ([[Divide]]). The q of digit i is added to digit i + 1; that of
  *      the last digit is folded like z^n. No carry propagates across digits.
  *   3. In a second pass few bits are left to divide, and tables give r as well. It makes the digits short: they are then
  *      within `factor`, with a margin for a lazy addition.
  *
  * @param spare bits by which a factor's digits may be longer than z: the margin for sums in front of a multiplication
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

  // The largest inner products are those of differences of differences of digits. With digits within 2^66 these have 68 bits, which nine tiles
  // multiply.
  val factor: Bound = Bound.magnitude((BigInt(1) << (z.bitLength + spare)) - 1)
  val reducible: Bound = Bound.magnitude(BigInt(1) << (z.bitLength + 12))

  def afterProduct: Reduction = Reduction(folds ++ afterWide.steps)

  /** Reduces the coefficients of a product to as many as a residue has digits, which are still long, with the lowest latency. */
  def fold: Reduction = together
  override def afterWide: Reduction = Reduction(carry(Divide(z, tempo)) ++ carry(tables))
  def afterSums: Reduction = Reduction(carry(tables))

  /** Folds degrees 2n - 2 down to n: one degree in each step or all at once, whichever is smaller. */
  private def folds: Seq[Step] = {
    val top = 2 * digits - 2
    val coefficients = (0 to top).map(k => factor * factor * (digits - (digits - 1 - k).abs))
    val single = Reduction((top to digits by -1).map(degree => Combination(folded(degree, degree), tempo.pace)))
    Seq(single, together).minBy(_.adderLuts(coefficients)).steps
  }
  private def together = Reduction(Seq(Combination(folded(2 * digits - 2, digits), tempo.pace)))

  /** Weights that fold the coefficients of degrees `low` to `high` to lower degrees; `high` is the highest degree. */
  private def folded(high: Int, low: Int): Seq[Seq[BigInt]] = {
    val unchanged = Seq.tabulate(high + 1, high + 1)((i, j) => if (i == j) BigInt(1) else BigInt(0))
    (high to low by -1).foldLeft(unchanged) { (rows, degree) =>
      rows.init.zipWithIndex.map { case (row, i) =>
        val weight = lowered.applyOrElse(i + digits - degree, (_: Int) => BigInt(0))
        row.zip(rows.last).map { case (own, top) => own + weight * top }
      }
    }
  }

  /** r and q, each from its own tables. */
  private def tables: Step = {
    val keep = z.abs.bitLength - 1
    val low = ChunkTables(keep, Some(Slice(0, keep)), Divide.remainder(_, z), tempo.pace, tempo.chain)
    val high = ChunkTables(keep, None, Divide.quotient(_, z), tempo.pace, tempo.chain)
    Expand(Seq.fill(digits)(Seq(low, high)))
  }

  /** Divides every digit and adds each quotient to the next digit, or folds it. */
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

  /** Splits the residue nearest to 0: the last digit of a larger one would be too long. */
  override def split(value: BigInt): Seq[BigInt] = {
    val least = if (2 * value > field.modulus) value - field.modulus else value
    val lower = Iterator.iterate((least, BigInt(0))) { case (rest, _) =>
      (Divide.quotient(rest, z), Divide.remainder(rest, z))
    }.slice(1, digits).toSeq
    lower.map(_._2) :+ lower.last._1
  }
}
