package proofmill.field

import proofmill.arith._
import spinal.core._

/** `low(x)` plus one table word for each chunk of the bits from `keep` on.
  *
  * x = (x mod 2^keep) + sum c(j) 2^s(j), where c(j) are chunks of a few bits and only the last one is signed. If `image` maps
  * each c(j) 2^s(j) to a congruent integer and `low` keeps the lowest bits, the result is congruent to x and shorter.
  *
  * The words are added in chains of `chain` tables, one table each cycle; an adder and its table use one LUT for each bit. A
  * sum of the chains follows.
  *
  * @param low what is kept of the lowest `keep` bits; none: the result consists of table words only
  */
case class ChunkTables(keep: Int, low: Option[Slice], image: BigInt => BigInt, pace: Pace, chain: Int) extends Part {
  import ChunkTables.chunk

  /** The table of one chunk: the bits of x that form the index, and the words. */
  private case class Table(from: Int, bits: Int, words: Seq[BigInt]) {
    val bound: Bound = ConstantTable.bound(words)
    def index(x: SInt): UInt = x.asUInt(from + bits - 1 downto from)
  }

  private def tables(x: Bound): Seq[Table] = for (from <- keep until x.width by chunk) yield {
    val last = from + chunk >= x.width
    val bits = chunk.min(x.width - from)
    val values = (0 until 1 << bits).map { index =>
      val signed = if (last && index >= (1 << (bits - 1))) index - (1 << bits) else index
      // An index that no x has gets the word of the nearest index that occurs.
      if (last) BigInt(signed).max(x.low >> from).min(x.high >> from) else BigInt(signed)
    }
    Table(from, bits, values.map(value => image(value << from)))
  }

  /** The chains: their initial values and their tables. The first chain begins with the low bits. */
  private def chains(x: Bound): Seq[(Option[Slice], Seq[Table])] =
    tables(x).grouped(chain).toSeq.zipWithIndex.map { case (group, i) => (low.filter(_ => i == 0), group) }

  private def plan(cycle: Int, x: Bound, start: Option[Slice], group: Seq[Table]): Ready = {
    val bounds = start.map(_.plan(Ready(x, cycle)).bound) ++ group.map(_.bound)
    Ready(bounds.reduce(_ + _), cycle + group.size)
  }

  def plan(x: Ready): Ready = {
    val sums = chains(x.bound).map { case (start, group) => plan(x.cycle, x.bound, start, group) }
    sums match {
      case Seq()    => low.get.plan(x)
      case Seq(one) => one
      case several  => Combine.plan(several.map(_ -> BigInt(1)), pace)
    }
  }

  def build(x: Number): Number = {
    val sums = chains(x.bound).map { case (start, group) => build(x, start, group) }
    sums match {
      case Seq()    => low.get.build(x)
      case Seq(one) => one
      case several  => Combine.build(several.map(_ -> BigInt(1)), pace)
    }
  }

  private def build(x: Number, start: Option[Slice], group: Seq[Table]): Number = {
    def number(later: Int) = x.value.at(x.value.cycle + later).resize(x.bound.width)
    val low = start.map(_.build(x))
    val unit = new ChainUnit(low.map(_.bound), group)
    for ((port, number) <- unit.low.zip(low)) port := number.value.value.resized
    for (((port, table), i) <- unit.indices.zip(group).zipWithIndex) port := table.index(number(i))
    Number(Timed(unit.sum, x.value.cycle + group.size), unit.total)
  }

  /** One chain as a component: small modules synthesise quickly. Each index arrives in the cycle in which it is used. */
  private class ChainUnit(start: Option[Bound], group: Seq[Table]) extends Component {
    val total: Bound = (start.toSeq ++ group.map(_.bound)).reduce(_ + _)
    val low = start.map(bound => in(SInt(bound.width bits)).setName("io_low")) // low bits of x, only in the first chain

    /** Of the tables; `indices(i)` arrives i cycles after the first one. */
    val indices = group.zipWithIndex.map { case (table, i) => in(UInt(table.bits bits)).setName(s"io_index$i") }
    val sum = out(SInt(total.width bits)).setName("io_sum") // of `low` and the words, a cycle after the last index

    private def index(i: Int) = Timed(indices(i), i)
    private val (begin, first) = low match {
      case Some(value) => (Number(Timed(value, 0), start.get), 0)
      case None        => (Number(ConstantTable(group.head.words, index(0)), group.head.bound), 1)
    }
    sum := group.zipWithIndex.drop(first).foldLeft(begin) { case (sum, (table, i)) =>
      val bound = sum.bound + table.bound
      Number(ConstantTable.add(table.words, index(i), sum.value, bound), bound)
    }.value.value.resized
  }

  def model(x: String, bound: Bound, cpp: ModelText): String = {
    val all = tables(bound)
    val count = all.map(_.bound.width).maxOption.getOrElse(1) / 64 + 1
    val words = all.flatMap(_.words).flatMap(word => ModelText.words(word, count))
    val start = low.fold("Number()")(_.model(x, bound, cpp))
    if (all.isEmpty) start
    else cpp.let(s"chunks<$count>($start, $x, $keep, ${bound.width}, $chunk, ${cpp.table(words)})")
  }
}

object ChunkTables {

  /** Bits of a table's index: together with one bit of the sum they fill a LUT. */
  val chunk: Int = 5
}
