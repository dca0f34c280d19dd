package proofmill.arith

/** How much an adder may do in one cycle: the longest carry chain, and compressor levels in a row.
  *
  * @param joined the last levels and the first carry chain in one cycle, and one sum instead of sums of sums: earlier, and
  *   deeper
  * @param flat nested steps of a product as one: sums in front of tiles end in the tiles' own registers, and all tiles
  *   are added in two sums, one after the other
  * @param registered a register ends a sum
  */
case class Pace(
    chain: Int = Timing().chain,
    levels: Int = 2,
    joined: Boolean = false,
    flat: Boolean = false,
    registered: Boolean = true
) {

  /** Of a sum in front of a tile. */
  def toTile: Pace = copy(registered = !flat)

  /** Of a sum of coefficients in base z. */
  def ofCoefficients: Pace = copy(chain = chain max Timing.coefficients.chain)
}

/** How a sum of weighted signed integers is computed; data only.
  *
  * 1. Each term becomes one addend for each non-zero signed digit of its weight: a shift and a sign.
  * 2. Addends become words without sign, in one of two ways. Extended: the sign is repeated up to the sum's top, a
  *    negated word is inverted and 1 added. Offset: only the top bit is inverted, and one constant makes up for all.
  * 3. Levels of counters (6 bits to 3, 5 to 3 or 3 to 2, each output bit a function of at most six inputs) until no
  *    column holds more than three bits.
  * 4. A carry adder of two or three rows.
  *
  * All is done modulo `2^result.width`; the caller knows that the sum is within `result`.
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

  /** Do registers follow a level? */
  private def registered(level: Int): Boolean =
    if (level + 1 == way.levels.size) !(pace.joined && way.adder.adds) else (level + 1) % pace.levels == 0

  /** The sum's word for the words of the terms, which are as wide as their bounds. */
  def on[W](inputs: Seq[W])(implicit words: Words[W]): W = {
    def constants(runs: Seq[Piece]) = runs.map(run => words.constant(run.copy(column = 0).ones, run.width))
    val first: IndexedSeq[W] = (addends.map(a => way.word(a, inputs(a.term))) ++ constants(way.constants)).toVector
    val last = way.levels.zipWithIndex.foldLeft(first) { case (now, (level, i)) =>
      val next = level.on(now)
      if (registered(i)) next.map(words.register) else next
    }
    way.adder.on(last ++ constants(way.left))
  }

  /** The sum of integers, by the plan's own steps. */
  def evaluate(values: Seq[BigInt]): BigInt = {
    for ((value, (bound, _)) <- values.zip(terms)) bound.check(value)
    val inputs = values.zip(terms).map { case (value, (bound, _)) => Word.of(value, bound.width) }
    result.check(Word.signed(on(inputs)(Word)))
  }

  /** Addends as words with their signs repeated. */
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

  /** Addends as words of their own width, the top bit of a signed one inverted. */
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

  /** Words at the beginning, what happens to them, and how they end. Constant ones are words too; if the pace is flat,
    * counters take them in.
    */
  private abstract class Way(words: Seq[Piece], ones: BigInt, carries: Int) {
    private val added = Word.of(ones, width).value
    private val apart = if (pace.flat) added else BigInt(0)
    val constants: Seq[Piece] = Piece.runs(added - apart)
    private val pieces: IndexedSeq[Piece] = (words ++ constants).toVector
    val levels: Seq[Compressor] = Compressor.levels(pieces, width, apart)

    /** Ones that no counter has taken in. */
    val left: Seq[Piece] = Piece.runs(levels.lastOption.fold(apart)(_.onesAfter))
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
