package proofmill.arith

import spinal.core._

/** Constants chosen by a small index.
  *
  * The words stand in one long constant of which the index selects a part: synthesis makes one LUT of each bit (a `case`
  * would become a memory), and simulation a look into an array. With at most 6 index bits a bit of the result is one
  * LUT6; added to a sum with at most 5 index bits, the LUT in front of the carry chain.
  */
object ConstantTable {

  /** What the result may be; it is as wide as this. */
  def bound(words: Seq[BigInt]): Bound = Bound(words.min, words.max)

  /** The word a cycle after its index. Equal tables share one module. */
  def apply(words: Seq[BigInt], index: Timed[UInt]): Timed[SInt] = {
    val table = Table(words)
    table.index := index.value.resize(table.index.getWidth)
    Timed(RegNext(table.word), index.cycle + 1)
  }

  /** The word in its index's cycle. */
  def now(words: Seq[BigInt], index: Timed[UInt]): Timed[SInt] = {
    val table = Table(words)
    table.index := index.value.resize(table.index.getWidth)
    Timed(table.word, index.cycle)
  }

  /** `sum + words(index)`, as wide as `result`, one cycle later; in one carry chain. */
  def add(words: Seq[BigInt], index: Timed[UInt], sum: Timed[SInt], result: Bound): Timed[SInt] = {
    val cycle = Timed.together(index, sum)
    val width = result.width
    Timed(RegNext(sum.at(cycle).resize(width) + lookup(words, index.at(cycle)).resize(width)), cycle + 1)
  }

  private case class Table(words: Seq[BigInt]) extends Component {
    definitionName = s"Table${words.size}x${bound(words).width}"
    val index = in(UInt(log2Up(words.size) max 1 bits))
    val word = out(SInt(bound(words).width bits))
    word := lookup(words, index)
  }

  /** Bits of a constant that the generator takes. */
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
