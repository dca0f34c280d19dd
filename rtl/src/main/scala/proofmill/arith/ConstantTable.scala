package proofmill.arith

import spinal.core._

/** Constants chosen by a small index; a register follows. Equal tables are one module.
  *
  * The result is as wide as `ConstantTable.bound(words)`. The index has at most 6 bits, so that each bit of the result
  * is one LUT.
  */
object ConstantTable {
  def bound(words: Seq[BigInt]): Bound = Bound(words.min, words.max)

  def apply(words: Seq[BigInt], index: Timed[UInt]): Timed[SInt] =
    Timed(RegNext(lookup(words, index.value)), index.cycle + 1)

  /** `sum + words(index)`, as wide as `result`, in one carry chain; with at most 5 index bits one LUT a bit.
    *
    * A LUT in front of a carry chain holds the exclusive or of sum and word, and the chain takes the sum itself as well.
    * Which operand of an addition that is the synthesis decides; of a subtraction it is the first. So the negated words
    * are subtracted, and no word needs a LUT of its own.
    */
  def add(words: Seq[BigInt], index: Timed[UInt], sum: Timed[SInt], result: Bound): Timed[SInt] = {
    val cycle = Timed.together(index, sum)
    val width = result.width
    Timed(RegNext(sum.at(cycle).resize(width) - lookup(words.map(-_), index.at(cycle)).resize(width)), cycle + 1)
  }

  /** A tree of multiplexers: a `case` would be taken for a memory, whose address register then moves behind the words. */
  private def lookup(words: Seq[BigInt], index: UInt): SInt = {
    val width = bound(words).width
    def choose(some: Seq[BigInt]): SInt =
      if (some.distinct.size == 1) S(some.head, width bits)
      else {
        val (lower, upper) = some.splitAt(some.size / 2)
        index(log2Up(some.size) - 1) ? choose(upper) | choose(lower)
      }
    require(words.size == 1 << index.getWidth, s"${words.size} words for ${index.getWidth} index bits")
    choose(words)
  }
}
