package proofmill.arith

/** Bits in consecutive columns of a sum, beginning at `column`. */
case class Piece(column: Int, width: Int) {
  def end: Int = column + width

  /** The integer with ones in these columns. */
  def ones: BigInt = ((BigInt(1) << width) - 1) << column
}

object Piece {

  /** Returns the runs of ones of an integer. */
  def runs(ones: BigInt): Seq[Piece] =
    (0 until ones.bitLength).filter(i => ones.testBit(i) && (i == 0 || !ones.testBit(i - 1))).map { from =>
      Piece(from, Iterator.from(from).takeWhile(ones.testBit(_)).size)
    }
}

/** One level of counters (compressors) over the words at `before`. It reduces every column below `width` to at most `target`
  * bits.
  *
  * Source: L. Dadda, "Some schemes for parallel multipliers", 1965, with counters of up to six bits. The columns are
  * processed from the lowest upwards. Each column gets as many counters as its bits and its incoming carries require. A
  * counter can also add the constant 1 of its column without another LUT.
  *
  * @param ones the columns to which 1 is added
  */
case class Compressor(before: IndexedSeq[Piece], target: Int, width: Int, ones: BigInt) {
  import Compressor._

  // Adjacent words are joined to runs, so that neighbouring columns have equal structure.
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
      val one = ones.testBit(column)
      val takes = counters(here.size, here.size + (if (one) 1 else 0) + carries(column) - target, one)
      for (take <- takes; i <- 1 until take.outputs) carries(column + i) += 1
      Column(column, here, takes)
    }
    alike(columns).toVector.flatMap { case (column, width) =>
      val begins = column.takes.map(_.bits).scanLeft(0)(_ + _)
      for ((take, begin) <- column.takes.zip(begins))
        yield Group(Piece(column.at, width), column.runs.slice(begin, begin + take.bits), take)
    }
  }

  /** Positions of the output words. */
  val after: IndexedSeq[Piece] =
    groups.flatMap(g => (0 until g.take.outputs).map(i => Piece(g.piece.column + i, g.piece.width)))

  /** The columns to which 1 is still to be added. */
  val onesAfter: BigInt = ones - groups.filter(_.take.one).map(_.piece.ones).sum

  val luts: Int = groups.filter(_.runs.size > 1).map(g => g.take.outputs * g.piece.width).sum

  def on[W](inputs: IndexedSeq[W])(implicit words: Words[W]): IndexedSeq[W] = {
    val joined = runs.map(run => words.cat(run.map(inputs)))
    groups.flatMap { g =>
      val bits = g.runs.map(run => words.slice(joined(run), g.piece.column - spans(run).column, g.piece.width))
      words.count(bits, Option.when(g.take.one)(words.constant(g.piece.copy(column = 0).ones, g.piece.width)))
    }
  }
}

object Compressor {

  /** The inputs of a counter: a number of bits and optionally the constant 1. A single bit passes unchanged. */
  private case class Take(bits: Int, one: Boolean) {
    def outputs: Int = BigInt(if (one) bits + 1 else bits).bitLength
  }

  /** The runs of one column and its counters. */
  private case class Column(at: Int, runs: Seq[Int], takes: Seq[Take])

  /** Equal counters in neighbouring columns. */
  private case class Group(piece: Piece, runs: Seq[Int], take: Take)

  /** Groups neighbouring columns of equal structure; returns the first column and the size of each group. */
  private def alike(columns: Seq[Column]): Seq[(Column, Int)] =
    columns.foldLeft(List.empty[(Column, Int)]) {
      case ((last, size) :: done, next) if last.copy(at = next.at) == next => (last, size + 1) :: done
      case (done, next)                                                    => (next, 1) :: done
    }.reverse

  /** Packs words into rows without overlaps; adjacent words share a row where possible. */
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

  /** Returns the number of bits in the fullest column. */
  def height(pieces: Seq[Piece]): Int = {
    val changes = pieces.filter(_.width > 0).flatMap(p => Seq((p.end, -1), (p.column, 1))).sorted
    changes.scanLeft(0)((bits, change) => bits + change._2).max
  }

  private def split(pieces: IndexedSeq[Piece], row: Seq[Int]): Seq[Seq[Int]] =
    row.foldLeft(Vector.empty[Vector[Int]]) { (runs, i) =>
      if (runs.nonEmpty && pieces(runs.last.last).end == pieces(i).column) runs.init :+ (runs.last :+ i)
      else runs :+ Vector(i)
    }

  /** Returns counters that remove `excess` bits from `bits` and an optional constant 1. Carries go to higher columns. */
  private def counters(bits: Int, excess: Int, one: Boolean): Seq[Take] = {
    val size = bits min (if (excess >= 3) 6 else if (excess < 1) 1 else if (one) 2 else 3)
    val taken = one && size != 3 // three bits and a 1 would need one output more than three bits
    if (size < 2) Seq.fill(bits)(Take(1, one = false))
    else Take(size, taken) +: counters(bits - size, excess - size + (if (taken) 0 else 1), one && !taken)
  }

  /** Counts the set bits in each column. The result has one word for each binary digit of the count. */
  private[arith] def count[W](bits: Seq[W])(implicit words: Words[W]): Seq[W] = {
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
      case Seq(a, b, c, d, e, f, g) =>
        val (left, right) = (three(a, b, c), three(d, e, f))
        val (sum, carry) = three(left._1, right._1, g)
        val (second, third) = three(left._2, right._2, carry)
        Seq(sum, second, third)
    }
  }

  def majority[W](a: W, b: W, c: W)(implicit words: Words[W]): W =
    words.or(words.and(a, b), words.and(c, words.or(a, b)))

  /** Returns the levels after which no column below `width` has more than three bits, constant ones included. */
  def levels(pieces: IndexedSeq[Piece], width: Int, ones: BigInt): Seq[Compressor] = {
    def highest(pieces: Seq[Piece], ones: BigInt) = height((pieces ++ Piece.runs(ones)).filter(_.column < width))
    val most = highest(pieces, ones)
    if (most <= 3) Seq.empty
    else {
      val level = Compressor(pieces, Iterator.iterate(3)(_ * 2).takeWhile(_ < most).toSeq.last, width, ones)
      require(highest(level.after, level.onesAfter) < most, s"$level takes nothing away")
      level +: levels(level.after, width, level.onesAfter)
    }
  }
}
