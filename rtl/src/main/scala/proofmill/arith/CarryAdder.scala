package proofmill.arith

/** The pipelined final adder of a sum. It adds at most three rows of words at the columns of `pieces`, and `carries` ones at
  * the lowest column that has more than one bit.
  *
  * Columns below that one pass unchanged. Above it, a carry-save stage reduces three rows to two. These are added in carry
  * chains of at most `pace.chain` bits. Up to three chains run in consecutive cycles and pass their carry on. With more
  * chains, all chains run in the same cycle, then a lookahead computes all carries, then each chain is incremented. A
  * register follows each of these steps; after the last one only if `pace.registered` is set.
  */
case class CarryAdder(pieces: IndexedSeq[Piece], carries: Int, width: Int, pace: Pace) {
  private val rows = Compressor.rows(pieces)
  private val base = CarryAdder.lowestShared(pieces).getOrElse(if (carries > 0) 0 else width)
  private val bits = width - base
  private val chains = (bits + pace.chain - 1) / pace.chain
  private val lookahead = chains > 3
  require(rows.size <= 3 && carries < 3, s"${rows.size} rows and $carries carries")

  /** Whether any column needs an addition. */
  val adds: Boolean = chains > 0
  val latency: Int = (chains min 3) - (if (adds && !pace.registered) 1 else 0)
  val luts: Int = bits * ((rows.size - 1 max 1) + (if (lookahead) 1 else 0))

  def on[W](inputs: IndexedSeq[W])(implicit words: Words[W]): W = {
    def row(members: Seq[Int], from: Int, to: Int): W = {
      val (filled, end) = members.foldLeft((Seq.empty[W], from)) { case ((parts, at), i) =>
        val (low, high) = (pieces(i).column max from, pieces(i).end min to)
        if (low >= high) (parts, at)
        else (parts ++ gap(at, low) :+ words.slice(inputs(i), low - pieces(i).column, high - low), high)
      }
      words.cat(filled ++ gap(end, to))
    }
    def gap(from: Int, to: Int): Seq[W] = Option.when(to > from)(words.constant(0, to - from)).toSeq
    def bit(value: Boolean): W = words.constant(if (value) 1 else 0, 1)

    // Below the base, each column has at most one bit.
    val below =
      Option.when(base > 0)(rows.map(row(_, 0, base)).reduceOption(words.or(_, _)).getOrElse(words.constant(0, base)))
    val sum = Option.when(bits > 0) {
      val above = rows.map(row(_, base, width)).padTo(2, words.constant(0, bits))
      above match {
        case Seq(a, b) => chained(a, b, bit(carries > 0))
        case Seq(a, b, c) =>
          val carry = Compressor.majority(a, b, c)
          val shifted = words.cat(bit(carries > 1) +: Option.when(bits > 1)(words.slice(carry, 0, bits - 1)).toSeq)
          chained(words.xor(words.xor(a, b), c), shifted, bit(carries > 0))
      }
    }
    words.cat(below.toSeq ++ sum)
  }

  private def chained[W](a: W, b: W, carry: W)(implicit words: Words[W]): W = {
    val size = (bits + chains - 1) / chains
    val cuts = (0 until bits by size).map(from => (from, size min (bits - from)))
    def part(word: W, cut: (Int, Int)) = words.slice(word, cut._1, cut._2)
    def last(word: W) = if (pace.registered) words.register(word) else word
    def split(sum: W, cut: (Int, Int)) = (words.slice(sum, 0, cut._2), words.slice(sum, cut._2, 1))

    if (!lookahead)
      words.cat(cuts.foldLeft((Seq.empty[W], carry)) { case ((sums, carry), cut) =>
        val added = words.add(part(a, cut), part(b, cut), carry)
        val (sum, next) = split(if (cut == cuts.last) last(added) else words.register(added), cut)
        (sums :+ sum, next)
      }._1)
    else {
      val none = words.constant(0, 1)
      val sums = for ((cut, i) <- cuts.zipWithIndex)
        yield split(words.register(words.add(part(a, cut), part(b, cut), if (i == 0) carry else none)), cut)
      val carries = sums.init.scanLeft(none) { case (carry, (sum, over)) =>
        words.or(over, words.and(words.all(sum), carry))
      }.tail.map(words.register)
      words.cat(sums.head._1 +: sums.tail.zip(carries).zip(cuts.tail).map { case (((sum, _), carry), cut) =>
        words.slice(last(words.add(sum, words.constant(0, cut._2), carry)), 0, cut._2)
      })
    }
  }
}

object CarryAdder {

  /** Returns the lowest column with more than one bit. */
  def lowestShared(pieces: Seq[Piece]): Option[Int] = {
    val sorted = pieces.filter(_.width > 0).sortBy(_.column)
    val ends = sorted.scanLeft(0)((end, piece) => end max piece.end)
    sorted.zip(ends).collectFirst { case (piece, end) if piece.column < end => piece.column }
  }
}
