package proofmill.engine.vdf

import proofmill.arith.{Bound, Pace, Sum, Term, Timed}
import spinal.core._

/** A non-negative word of a sum, at most `high`, whose lowest bit has the weight `2^position`. */
case class Addend(value: UInt, high: BigInt, position: Int)

/** The sum of a column of `radix` bits, at most `high`; it has more bits than the column. */
case class Column(sum: UInt, high: BigInt)

/** Sums of words by columns of `radix` bits: carries end in the next column.
  *
  * Source: E. Öztürk, "Modular multiplication algorithm suitable for low-latency circuit implementations", ePrint 2019/826:
  * redundant digits and columns that are added in parallel.
  */
object ColumnSums {
  import VdfConfig.radix

  /** All counters of a column in one cycle, then one carry chain. */
  private val pace = Pace(levels = Int.MaxValue, joined = true, registered = false)

  /** Returns `count` columns. Addends are cut at the borders of columns; those of `whole` belong to the column that their
    * position is in, and are not cut.
    */
  def apply(addends: Seq[Addend], whole: Seq[Addend], count: Int): Seq[Column] = {
    val cut = addends.flatMap(parts)
    for (k <- 0 until count) yield sum((cut ++ whole).filter(_.position / radix == k), radix * k)
  }

  /** Returns the columns of the addends of all passes, one cycle each, and of `cut` and `whole` in the last one. */
  def ofPasses(passes: Seq[Seq[Addend]], cut: Seq[Addend], whole: Seq[Addend], count: Int): Seq[Column] = {
    val before = passes.init.foldLeft(Seq.empty[Addend]) { (before, addends) =>
      ColumnSums(addends, before, count).zipWithIndex.map { case (column, k) =>
        Addend(RegNext(column.sum), column.high, radix * k)
      }
    }
    ColumnSums(passes.last ++ cut, before ++ whole, count)
  }

  /** Returns the digits of columns: a digit is a column's lower bits and the carry of the column below, at most `high`. */
  def digits(columns: Seq[Column], high: BigInt): Seq[UInt] = {
    for (column <- columns)
      require(
        (column.high >> radix) + (1 << radix) - 1 <= high,
        s"a digit of more than $high: a column of ${column.high}"
      )
    val carries =
      U(0, 1 bits) +: columns.map(_.sum).map(sum => if (sum.getWidth > radix) sum >> radix else U(0, 1 bits))
    for ((column, carry) <- columns.zip(carries))
      yield (column.sum.resize(radix) +^ carry.resize(radix)).resize(VdfConfig.digitBits)
  }

  private def parts(addend: Addend): Seq[Addend] = {
    val end = addend.position + addend.high.bitLength
    val borders = addend.position +: (addend.position / radix * radix + radix until end by radix)
    for ((from, to) <- borders.zip(borders.tail :+ end) if to > from) yield {
      val shift = from - addend.position
      val bits = (to - from) min (addend.value.getWidth - shift)
      val full = (BigInt(1) << bits) - 1
      Addend(addend.value(shift, bits bits), full min (addend.high >> shift), from)
    }
  }

  private def sum(addends: Seq[Addend], from: Int): Column = {
    val high = addends.map(a => a.high << (a.position - from)).sum
    val terms = addends.filter(_.high > 0).map { a =>
      val bound = Bound(0, a.high)
      Term(Timed(a.value.resize(bound.magnitudeBits).intoSInt, 0), bound, BigInt(1) << (a.position - from))
    }
    if (terms.isEmpty) Column(U(0, radix bits), 0)
    else {
      val sum = Sum.separate(terms, Bound(0, high), pace)
      require(sum.cycle == 0, s"the sum of ${terms.size} words has a register")
      Column(sum.value.asUInt.resize(high.bitLength max radix), high)
    }
  }
}
