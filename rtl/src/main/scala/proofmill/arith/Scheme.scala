package proofmill.arith

/** A scheme that multiplies two polynomials of `parts` coefficients with few products; data only.
  *
  * Product j is `sum over i of forms(j)(i) * part(i)` of the first factor times the same sum with `others` of the second
  * factor. Coefficient k of the result, times `scale`, is `sum over j of weights(k)(j) * product(j)`.
  */
case class Scheme(
    name: String,
    parts: Int,
    forms: Seq[Seq[BigInt]],
    others: Seq[Seq[BigInt]],
    weights: Seq[Seq[BigInt]],
    scale: BigInt
)

object Scheme {

  /** Subtractive Karatsuba for any number of parts: `parts (parts + 1) / 2` products.
    *
    * a(i) b(j) + a(j) b(i) = a(i) b(i) + a(j) b(j) - (a(j) - a(i)) (b(j) - b(i)). Differences have smaller bounds than sums.
    *
    * @param turned the second difference is b(i) - b(j), so that no product is subtracted
    */
  def karatsuba(parts: Int, turned: Boolean = false): Scheme = {
    val pairs = for (j <- 0 until parts; i <- 0 until j) yield (i, j)
    val sign = BigInt(if (turned) -1 else 1)
    val squares = (0 until parts).map(i => unit(parts, i))
    val differences = pairs.map { case (i, j) => unit(parts, j).zip(unit(parts, i)).map { case (x, y) => x - y } }
    val weights = (0 to 2 * parts - 2).map { k =>
      val here = pairs.filter { case (i, j) => i + j == k }
      val diagonal = (0 until parts).map { i =>
        BigInt(here.count { case (a, b) => a == i || b == i } + (if (2 * i == k) 1 else 0))
      }
      diagonal ++ pairs.map(pair => if (here.contains(pair)) -sign else BigInt(0))
    }
    val others = squares ++ differences.map(_.map(_ * sign))
    Scheme(s"karatsuba$parts", parts, squares ++ differences, others, weights, 1)
  }

  /** Toom-Cook at 0, infinity, 1, -1, 2, -2, …: `2 parts - 1` products. It needs no division: `scale` is the common multiple
    * of the divisors of the interpolation.
    */
  def toom(parts: Int): Scheme = {
    val size = 2 * parts - 1
    val points = Iterator.from(1).flatMap(i => Seq(i, -i)).take(size - 2).map(BigInt(_)).toSeq
    def powers(x: BigInt, n: Int) = Seq.tabulate(n)(x.pow(_))
    def rows(n: Int) = unit(n, 0) +: unit(n, n - 1) +: points.map(powers(_, n))
    val (inverse, scale) = inverted(rows(size))
    Scheme(s"toom$parts", parts, rows(parts), rows(parts), inverse, scale)
  }

  private def unit(size: Int, at: Int): Seq[BigInt] = Seq.tabulate(size)(i => if (i == at) 1 else 0)

  /** Returns a matrix and the least positive integer such that their quotient is the inverse of `rows`. Uses fraction-free
    * Gauss-Jordan elimination.
    */
  private def inverted(rows: Seq[Seq[BigInt]]): (Seq[Seq[BigInt]], BigInt) = {
    val size = rows.size
    val wide = rows.zipWithIndex.map { case (row, i) => row ++ unit(size, i) }
    val reduced = (0 until size).foldLeft(wide) { (matrix, column) =>
      val pivot = matrix.indices.drop(column).find(matrix(_)(column) != 0).get
      val swapped = matrix.updated(pivot, matrix(column)).updated(column, matrix(pivot))
      val lead = swapped(column)
      swapped.zipWithIndex.map {
        case (row, i) if i == column => row
        case (row, _) => primitive(row.zip(lead).map { case (x, y) => x * lead(column) - y * row(column) })
      }
    }
    val diagonal = reduced.zipWithIndex.map { case (row, i) => row(i) }
    val scale = reduced.zip(diagonal).map { case (row, d) => d.abs / row.drop(size).foldLeft(d)(_ gcd _) }.reduce(lcm)
    (reduced.zip(diagonal).map { case (row, d) => row.drop(size).map(_ * scale / d) }, scale)
  }

  private def primitive(row: Seq[BigInt]): Seq[BigInt] = {
    val common = row.reduce(_ gcd _)
    if (common == 0) row else row.map(_ / common)
  }
  private def lcm(a: BigInt, b: BigInt): BigInt = a / (a gcd b) * b
}
