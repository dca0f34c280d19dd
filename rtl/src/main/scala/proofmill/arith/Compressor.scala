package proofmill.arith

/** Bits at neighbouring columns of a sum, `column` the lowest. */
case class Piece(column: Int, width: Int) {
  def end: Int = column + width
}

/** One level of counters over words that lie at `before`: afterwards no column below `width` holds more than `target` bits.
  *
  * After L. Dadda, "Some schemes for parallel multipliers", 1965, with counters of up to six bits: from the lowest column
  * upwards, each is given as many counters as it needs together with the carries that come into it.
  */
case class Compressor(before: IndexedSeq[Piece], target: Int, width: Int) {
  import Compressor._

  // Words that follow each other are joined to runs, so that neighbouring columns look alike.
  private val runs: IndexedSeq[Seq[Int]] = rows(before).toVector.flatMap(split(before, _))
  private val spans = runs.map(run => Piece(before(run.head).column, run.map(before(_).width).sum))
  private val groups: Vector[Group] = {
    val ends = spans.flatMap(span => Seq(span.column, span.end)).filter(_ < width).distinct.sorted :+ width
    val carries = Array.fill(width + 2)(0)
    val columns = for {
      (from, to) <- ends.zip(ends.drop(1))
      here = spans.indices.filter(i => spans(i).column <= from && to <= spans(i).end)
      column <- from until to
    } yield {
      val sizes = counters(here.size, here.size + carries(column) - target)
      for (size <- sizes; i <- 1 until outputs(size)) carries(column + i) += 1
      Column(column, here, sizes)
    }
    alike(columns).toVector.flatMap { case (column, width) =>
      val begins = column.sizes.scanLeft(0)(_ + _)
      for ((size, begin) <- column.sizes.zip(begins))
        yield Group(Piece(column.at, width), column.runs.slice(begin, begin + size))
    }
  }

  /** Where the words lie afterwards. */
  val after: IndexedSeq[Piece] =
    groups.flatMap(g => (0 until outputs(g.runs.size)).map(i => Piece(g.piece.column + i, g.piece.width)))

  val luts: Int = groups.filter(_.runs.size > 1).map(g => outputs(g.runs.size) * g.piece.width).sum

  def on[W](inputs: IndexedSeq[W])(implicit words: Words[W]): IndexedSeq[W] = {
    val joined = runs.map(run => words.cat(run.map(inputs)))
    groups.flatMap { g =>
      count(g.runs.map(run => words.slice(joined(run), g.piece.column - spans(run).column, g.piece.width)))
    }
  }
}

object Compressor {

  /** The runs of one column and the sizes of its counters; a one is a bit that passes. */
  private case class Column(at: Int, runs: Seq[Int], sizes: Seq[Int])

  /** Counters of the same inputs in neighbouring columns. */
  private case class Group(piece: Piece, runs: Seq[Int])

  /** Neighbouring columns that look alike, as the first of them and their number. */
  private def alike(columns: Seq[Column]): Seq[(Column, Int)] =
    columns.foldLeft(List.empty[(Column, Int)]) {
      case ((last, size) :: done, next) if last.copy(at = next.at) == next => (last, size + 1) :: done
      case (done, next)                                                    => (next, 1) :: done
    }.reverse

  /** Words sorted into rows without overlaps, neighbours into the same row where possible. */
  def rows(pieces: IndexedSeq[Piece]): Seq[Seq[Int]] =
    pieces.indices.filter(pieces(_).width > 0).sortBy(i => (pieces(i).column, -pieces(i).width))
      .foldLeft(Vector.empty[Vector[Int]]) { (rows, i) =>
        val free = rows.indices.filter(r => pieces(rows(r).last).end <= pieces(i).column)
        if (free.isEmpty) rows :+ Vector(i)
        else {
          val row = free.maxBy(r => pieces(rows(r).last).end)
          rows.updated(row, rows(row) :+ i)
        }
      }

  /** Bits in the fullest column. */
  def height(pieces: Seq[Piece]): Int = {
    val changes = pieces.filter(_.width > 0).flatMap(p => Seq((p.end, -1), (p.column, 1))).sorted
    changes.scanLeft(0)((bits, change) => bits + change._2).max
  }

  private def split(pieces: IndexedSeq[Piece], row: Seq[Int]): Seq[Seq[Int]] =
    row.foldLeft(Vector.empty[Vector[Int]]) { (runs, i) =>
      if (runs.nonEmpty && pieces(runs.last.last).end == pieces(i).column) runs.init :+ (runs.last :+ i)
      else runs :+ Vector(i)
    }

  /** Sizes of counters that take `excess` bits away from `bits`; carries go to higher columns. */
  private def counters(bits: Int, excess: Int): Seq[Int] = {
    val size = if (excess >= 3) bits min 6 else if (excess >= 1) bits min 3 else 1
    if (size < 2) Seq.fill(bits)(1) else size +: counters(bits - size, excess - size + 1)
  }

  private def outputs(size: Int): Int = BigInt(size).bitLength

  /** The number of set bits in each column, as one word a binary digit. */
  private def count[W](bits: Seq[W])(implicit words: Words[W]): Seq[W] = {
    import words._
    def three(a: W, b: W, c: W) = (xor(xor(a, b), c), majority(a, b, c))
    def two(a: W, b: W) = (xor(a, b), and(a, b))
    def lowAndHigh(low: (W, W), high: (W, W)) = {
      val (sum, carry) = two(low._1, high._1)
      val (second, third) = three(low._2, high._2, carry)
      Seq(sum, second, third)
    }
    bits match {
      case Seq(a)                => Seq(a)
      case Seq(a, b)             => Seq(xor(a, b), and(a, b))
      case Seq(a, b, c)          => { val (sum, carry) = three(a, b, c); Seq(sum, carry) }
      case Seq(a, b, c, d)       => lowAndHigh(two(a, b), two(c, d))
      case Seq(a, b, c, d, e)    => lowAndHigh(three(a, b, c), two(d, e))
      case Seq(a, b, c, d, e, f) => lowAndHigh(three(a, b, c), three(d, e, f))
    }
  }

  def majority[W](a: W, b: W, c: W)(implicit words: Words[W]): W =
    words.or(words.and(a, b), words.and(c, words.or(a, b)))

  /** Levels until no column below `width` holds more than three bits. */
  def levels(pieces: IndexedSeq[Piece], width: Int): Seq[Compressor] = {
    val most = height(pieces.filter(_.column < width))
    if (most <= 3) Seq.empty
    else {
      val level = Compressor(pieces, Iterator.iterate(3)(_ * 2).takeWhile(_ < most).toSeq.last, width)
      require(height(level.after.filter(_.column < width)) < most, s"$level takes nothing away")
      level +: levels(level.after, width)
    }
  }
}
