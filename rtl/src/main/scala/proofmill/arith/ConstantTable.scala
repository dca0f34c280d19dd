package proofmill.arith

import spinal.core._

/** A table of constants with a small index.
  *
  * The words are concatenated to one long constant, and the index selects a part of it. Synthesis makes one LUT for each bit
  * (a `case` statement would become a memory), and simulators use an array access. With at most 6 index bits, a bit of the
  * result is one LUT6. With at most 5 index bits and an addition, it is the LUT in front of the carry chain.
  */
object ConstantTable {

  /** Returns the interval of the words. The result has its width. */
  def bound(words: Seq[BigInt]): Bound = Bound(words.min, words.max)

  /** Returns the word one cycle after its index. Equal tables share one module. */
  def apply(words: Seq[BigInt], index: Timed[UInt]): Timed[SInt] = {
    val table = Table(words)
    table.index := index.value.resize(table.index.getWidth)
    Timed(RegNext(table.word), index.cycle + 1)
  }

  /** Returns the word in the cycle of its index. */
  def now(words: Seq[BigInt], index: Timed[UInt]): Timed[SInt] = {
    val table = Table(words)
    table.index := index.value.resize(table.index.getWidth)
    Timed(table.word, index.cycle)
  }

  /** Computes `sum + words(index)`, as wide as `result`, one cycle later, in one carry chain.
    *
    * A LUT in front of a carry chain computes the exclusive or of sum and word; the chain also takes the sum itself. For an
    * addition, synthesis decides which operand that is; for a subtraction it is the first. The negated words are therefore
    * subtracted, and no word needs a LUT of its own.
    */
  def add(words: Seq[BigInt], index: Timed[UInt], sum: Timed[SInt], result: Bound): Timed[SInt] = {
    val cycle = Timed.together(index, sum)
    val width = result.width
    Timed(RegNext(sum.at(cycle).resize(width) - lookup(words.map(-_), index.at(cycle)).resize(width)), cycle + 1)
  }

  private case class Table(words: Seq[BigInt]) extends Component {
    definitionName = s"Table${words.size}x${bound(words).width}"
    val index = in(UInt(log2Up(words.size) max 1 bits)) // number of the word; not beyond the last one
    val word = out(SInt(bound(words).width bits)) // the selected word, in the same cycle
    word := lookup(words, index)
  }

  /** Widest constant that the generator accepts, in bits. */
  private val longest = 4096

  private def lookup(words: Seq[BigInt], index: UInt): SInt = {
    val size = 1 << index.getWidth
    require(words.size <= size && size <= 64, s"${words.size} words for an index of ${index.getWidth} bits")
    val width = bound(words).width
    val columns = for (from <- 0 until width by longest / size) yield {
      val bits = (longest / size) min (width - from)
      val all = words.foldRight(BigInt(0))((word, above) => above << bits | (word >> from) & ((BigInt(1) << bits) - 1))
      B(all, size * bits bits)(index * U(bits), bits bits)
    }
    Cat(columns).asSInt
  }
}
