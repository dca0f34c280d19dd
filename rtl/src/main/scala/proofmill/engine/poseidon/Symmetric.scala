package proofmill.engine.poseidon

/** One product of a decomposed matrix: the sum of the elements `members` of the vector, times one of `factors` (one for each
  * matrix), is added to the same elements of the result.
  */
case class Summand(members: Seq[Int], factors: Seq[BigInt])

/** Decomposes symmetric integer matrices into sums of c v v^T, where v has only zeros and ones, with fewer products than
  * entries.
  *
  * A matrix of k by k blocks M(i, j) that are symmetric themselves, times x(1), …, x(k), has
  *
  *   y(i) = (M(i, i) - sum of M(i, j)) x(i) + sum of M(i, j) (x(i) + x(j))    over all j other than i:
  *
  * products with k (k + 1) / 2 blocks instead of k^2, and the blocks likewise. The blocks of a Hankel matrix are symmetric,
  * and so are those of several such matrices along a diagonal.
  */
object Symmetric {
  private type Matrix = Seq[Seq[BigInt]]

  /** Returns one decomposition for several matrices; `splits`: the number of parts on each level. */
  def apply(matrices: Seq[Matrix], splits: Seq[Int]): Seq[Summand] = {
    for (matrix <- matrices) require(matrix == matrix.transpose && matrix.size == splits.product, "not such a matrix")
    val found = decomposed(matrices.head.indices.map(Seq(_)), matrices, splits)
    for ((matrix, k) <- matrices.zipWithIndex)
      require(composed(found, k, matrix.size) == matrix, s"matrix $k has blocks that are not symmetric")
    found.filter(_.factors.exists(_ != 0))
  }

  /** Returns the sum of the products of matrix `k`. */
  private def composed(summands: Seq[Summand], k: Int, size: Int): Matrix =
    Seq.tabulate(size, size)((i, j) =>
      summands.filter(s => s.members.contains(i) && s.members.contains(j)).map(_.factors(k)).sum
    )

  private def decomposed(places: Seq[Seq[Int]], matrices: Seq[Matrix], splits: Seq[Int]): Seq[Summand] =
    splits match {
      case Seq() => Seq(Summand(places.head, matrices.map(_.head.head)))
      case parts +: inner =>
        val size = places.size / parts
        def block(matrix: Matrix, i: Int, j: Int) =
          matrix.slice(i * size, (i + 1) * size).map(_.slice(j * size, (j + 1) * size))
        val (all, places_) = (0 until parts, places.grouped(size).toSeq)
        val diagonal = all.flatMap { i =>
          val rest = matrices.map(m => all.filter(_ != i).map(block(m, i, _)).foldLeft(block(m, i, i))(minus))
          decomposed(places_(i), rest, inner)
        }
        val pairs = for (j <- all; i <- 0 until j) yield {
          val both = places_(i).zip(places_(j)).map { case (a, b) => a ++ b }
          decomposed(both, matrices.map(block(_, i, j)), inner)
        }
        diagonal ++ pairs.flatten
    }

  private def minus(a: Matrix, b: Matrix): Matrix =
    a.zip(b).map { case (x, y) => x.zip(y).map { case (p, q) => p - q } }
}
