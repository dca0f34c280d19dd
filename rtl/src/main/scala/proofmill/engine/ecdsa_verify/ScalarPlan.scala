package proofmill.engine.ecdsa_verify

import proofmill.micro.ItemList
import proofmill.spec.Spec
import spinal.core._

/** Parameters of the recoding of scalars into items, for a curve with an endomorphism, as in `spec/model/ecdsa_items.py`.
  *
  * @param curve  by its name in `spec/curves`
  * @param window of the non-adjacent form of u2's halves
  * @param comb   bits of a Booth digit of u1
  */
case class ScalarPlan(curve: String, window: Int = 5, comb: Int = 8) {
  import ScalarPlan._
  private val table = Spec.table(s"curves/$curve")
  private val lambda = Spec.big(table.getTable("endomorphism"), "lambda")

  /** Order of the group. */
  val n: BigInt = Spec.big(Spec.table(s"fields/${table.getString("scalar_field")}"), "modulus")
  val bits: Int = n.bitLength

  /** Short (a, b) with a + b lambda = 0 mod n, such that (u, 0) is a sum of them with no negative factor. */
  val basis: Seq[(BigInt, BigInt)] = {
    val rows = euclid(n -> BigInt(0), lambda -> BigInt(1))
    val below = rows.indexWhere { case (r, _) => r * r < n }
    val Seq((a1, b1), (a2, b2)) =
      Seq(rows(below), Seq(rows(below - 1), rows(below + 1)).minBy { case (r, t) => r * r + t * t })
        .map { case (r, t) => (r, -t) }
    val det = a1 * b2 - a2 * b1
    val (s1, s2) = (if (b2 * det < 0) -1 else 1, if (b1 * det > 0) -1 else 1)
    Seq((a1 * s1, b1 * s1), (a2 * s2, b2 * s2))
  }

  /** (u, 0) = u (f1 v1 + f2 v2) for the basis v1, v2; as numerators over n. */
  private val factors = {
    val Seq((a1, b1), (a2, b2)) = basis
    val sign = (a1 * b2 - a2 * b1).signum
    Seq(b2 * sign, -b1 * sign)
  }

  /** Number of the highest digits of u that the quotients use; the other bits contribute at most half of 1 / slack. */
  val digits: Int = Iterator.from(1).find(i => factors.max * lost(i) * 2 * slack <= n).get
  private def lost(digits: Int) = (BigInt(1) << (bits - digit * digits max 0)) - 1
  val drop: Int = lost(digits).bitLength

  /** A quotient is (u >> drop) times its multiplier, rounded at bit `shift`. */
  val shift: Int = digit * digits + slack.bitLength - 1
  val multipliers: Seq[BigInt] = factors.map(f => ((f << (drop + shift + 1)) / n + 1) >> 1)

  /** Bits of the larger quotient. */
  val quotientBits: Int = ((((BigInt(1) << (bits - drop)) * multipliers.max) >> shift) + 1).bitLength

  /** A half's magnitude is below 2^halfBits. */
  val halfBits: Int = {
    val Seq((a1, b1), (a2, b2)) = basis
    (((a1.abs + a2.abs) max (b1.abs + b2.abs)) * (slack + 2) / (2 * slack)).bitLength
  }

  /** Odd multiples of Q in a half's table. */
  val entries: Int = 1 << (window - 2)
  val windows: Int = (bits + comb - 1) / comb

  /** Items of u2, the halves' tables one after the other, each with the doublings after it; items of u1. */
  val q: ItemList = ItemList("q", 2 * (halfBits / window + 1), 2 * entries, halfBits + 1)
  val g: ItemList = ItemList("g", windows, windows << (comb - 1))
  def lists: Seq[ItemList] = Seq(q, g)
}

object ScalarPlan {

  /** Bits of an operand that the serial multiplications process in each cycle. */
  val digit = 6

  /** The error of a rounded quotient is less than 1/2 + 1/slack. */
  val slack = BigInt(8)

  /** Returns remainders r = t b mod a with their t, from the two given ones down to r = 0. */
  private def euclid(rows: (BigInt, BigInt)*): Seq[(BigInt, BigInt)] = {
    val Seq((r0, t0), (r1, t1)) = rows.takeRight(2)
    if (r1 == 0) rows else euclid(rows :+ ((r0 % r1, t0 - r0 / r1 * t1)): _*)
  }
}
