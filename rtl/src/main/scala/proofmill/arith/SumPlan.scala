package proofmill.arith

/** Limits of an adder's logic in one cycle: the longest carry chain, and the number of consecutive compressor levels.
  *
  * @param chain bits of the longest carry chain
  * @param levels compressor levels in one cycle
  * @param joined the last levels and the first carry chain share a cycle, and one sum replaces nested sums: lower latency,
  * more logic levels
  * @param flat nested steps of a product are merged: sums in front of tiles end in the tiles' own registers, and all tiles
  * are added in two consecutive sums
  * @param registered a register follows the sum
  */
case class Pace(
    chain: Int = Timing().chain,
    levels: Int = 2,
    joined: Boolean = false,
    flat: Boolean = false,
    registered: Boolean = true
) {

  /** The pace of a sum in front of a tile. */
  def toTile: Pace = copy(registered = !flat)

  /** The pace of a sum of coefficients in base z. */
  def ofCoefficients: Pace = copy(chain = chain max Timing.coefficients.chain)
}

/** A plan of a sum of weighted signed integers; data only.
  *
  * 1. Each term becomes one addend for each non-zero signed digit of its weight: a shift and a sign.
  * 2. Addends become unsigned words in one of two ways. Extended: the sign bit is repeated up to the top of the sum; a
  * negated word is inverted and 1 is added. Offset: only the top bit is inverted, and one constant corrects all addends.
  * 3. Levels of counters (6 bits to 3, 5 to 3 or 3 to 2; each output bit is a function of at most six inputs) follow until no
  * column has more than three bits.
  * 4. A carry adder adds the remaining two or three rows.
  *
  * All arithmetic is modulo `2^result.width`. The caller guarantees that the sum is within `result`.
  */
case class SumPlan(terms: Seq[(Bound, BigInt)], result: Bound, constant: BigInt, pace: Pace) {
  import SumPlan._

  private val width = result.width
  private val addends = for {
    ((bound, weight), term) <- terms.zipWithIndex
    (shift, negative) <- NonAdjacent(weight)
    addend = Addend(term, bound, shift, negative)
    if shift < width && addend.bits > 0
  } yield addend

  private val way = Some(extended).filter(_.levels.isEmpty).getOrElse(Seq(extended, offset).minBy(_.luts))

  def luts: Int = way.luts
  def latency: Int = way.levels.indices.count(registered) + way.adder.latency

  /** Whether registers follow a level. */
  private def registered(level: Int): Boolean =
    if (level + 1 < way.levels.size) (level + 1) % pace.levels == 0
    else if (way.adder.adds) !pace.joined
    else pace.registered

  /** Computes the sum's word from the words of the terms, which are as wide as their bounds. */
  def on[W](inputs: Seq[W])(implicit words: Words[W]): W = {
    def constants(runs: Seq[Piece]) = runs.map(run => words.constant(run.copy(column = 0).ones, run.width))
    val first: IndexedSeq[W] = (addends.map(a => way.word(a, inputs(a.term))) ++ constants(way.constants)).toVector
    val last = way.levels.zipWithIndex.foldLeft(first) { case (now, (level, i)) =>
      val next = level.on(now)
      if (registered(i)) next.map(words.register) else next
    }
    way.adder.on(last ++ constants(way.left))
  }

  /** Computes the sum of integers by the steps of the plan. */
  def evaluate(values: Seq[BigInt]): BigInt = {
    for ((value, (bound, _)) <- values.zip(terms)) bound.check(value)
    val inputs = values.zip(terms).map { case (value, (bound, _)) => Word.of(value, bound.width) }
    result.check(Word.signed(on(inputs)(Word)))
  }

  /** Addends as sign-extended words. */
  private def extended: Way = {
    val pieces = addends.map(a => Piece(a.shift, (if (a.signed || a.negative) width else a.bits) min (width - a.shift)))
    val ones = addends.filter(_.negative).map(a => BigInt(1) << a.shift).sum + constant
    val base = CarryAdder.lowestShared(pieces).getOrElse(0)
    val free = Option.when(Compressor.height(pieces) <= 3)(Compressor.height(pieces)).flatMap { rows =>
      (0 until rows).find(n => BigInt(n) << base == ones)
    }
    new Way(pieces, if (free.isDefined) 0 else ones, free.getOrElse(0)) {
      def word[W](a: Addend, input: W)(implicit words: Words[W]): W = {
        val bits = if (a.signed || a.negative) words.extend(input, width - a.shift)
        else words.slice(input, 0, a.bits min (width - a.shift))
        if (a.negative) words.not(bits) else bits
      }
    }
  }

  /** Addends as words of their own width; the top bit of a signed addend is inverted. */
  private def offset: Way = {
    val pieces = addends.map(a => Piece(a.shift, a.bits min (width - a.shift)))
    val correction = addends.map { a =>
      val sign = if (a.signed) BigInt(1) << (a.bits - 1) else BigInt(0)
      val inverted = if (!a.negative) BigInt(0) else if (a.signed) BigInt(1) else 1 - (BigInt(1) << a.bits)
      (inverted - sign) << a.shift
    }.sum
    new Way(pieces, correction + constant, 0) {
      def word[W](a: Addend, input: W)(implicit words: Words[W]): W = {
        val body = words.slice(input, 0, if (a.signed) a.bits - 1 else a.bits)
        def inverted(word: W, when: Boolean) = if (when) words.not(word) else word
        val top = Option.when(a.signed)(inverted(words.slice(input, a.bits - 1, 1), !a.negative))
        words.slice(words.cat(inverted(body, a.negative) +: top.toSeq), 0, a.bits min (width - a.shift))
      }
    }
  }

  /** The words at the beginning, the compressor levels, and the final adder. Constant ones are words, too; with a flat pace
    * the counters add them.
    */
  private abstract class Way(words: Seq[Piece], ones: BigInt, carries: Int) {
    private val added = Word.of(ones, width).value
    private val inCounters = if (pace.flat) added else BigInt(0)
    val constants: Seq[Piece] = Piece.runs(added - inCounters)
    private val pieces: IndexedSeq[Piece] = (words ++ constants).toVector
    val levels: Seq[Compressor] = Compressor.levels(pieces, width, inCounters)

    /** Constant ones that no counter has added. */
    val left: Seq[Piece] = Piece.runs(levels.lastOption.fold(inCounters)(_.onesAfter))
    val adder: CarryAdder = CarryAdder(levels.lastOption.fold(pieces)(_.after) ++ left, carries, width, pace)
    def luts: Int = levels.map(_.luts).sum + adder.luts
    def word[W](addend: Addend, input: W)(implicit words: Words[W]): W
  }
}

object SumPlan {

  /** One signed digit of a term's weight. */
  private case class Addend(term: Int, bound: Bound, shift: Int, negative: Boolean) {
    val signed: Boolean = bound.low < 0
    def bits: Int = if (signed) bound.width else bound.high.bitLength
  }
}
