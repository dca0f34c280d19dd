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

  /** `sum + words(index)`, as wide as `result`, in one carry chain; with at most 5 index bits one LUT a bit. */
  def add(words: Seq[BigInt], index: Timed[UInt], sum: Timed[SInt], result: Bound): Timed[SInt] = {
    val cycle = Timed.together(index, sum)
    val width = result.width
    Timed(RegNext(sum.at(cycle).resize(width) + lookup(words, index.at(cycle)).resize(width)), cycle + 1)
  }

  private def lookup(words: Seq[BigInt], index: UInt): SInt = {
    val width = bound(words).width
    Vec(words.map(S(_, width bits)))(index)
  }
}
