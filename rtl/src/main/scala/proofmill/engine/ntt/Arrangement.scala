package proofmill.engine.ntt

/** The position of each bit of an element's index in a stream of beats. Positions are the bits of the lane number, then those
  * of the time (beat number), lowest first.
  *
  * Letters: `a` is the index of the first core and `o` its result; `b` and `r` are those of the second core; `c` is the
  * column.
  */
case class Arrangement(in: Seq[String], out: Seq[String]) {
  require(in.sorted == out.sorted, s"$in is not $out in another order")
  def bits: Int = in.size
}

/** The kinds of passes. A pass has columns of 2^(6 + b) elements; a tile has as many columns as there are lanes.
  *
  *   - Whole: a transform is one column, and is in natural order in the memory, before and after.
  *   - First: before, each lane has a column; after, the lanes have the results' lowest bits.
  *   - Last: each lane has a column, before and after.
  */
object Arrangement {
  object Kind extends Enumeration { val Whole, First, Last = Value }

  private val radix = NttConfig.radixBits
  private def named(letter: String, bits: Range): Seq[String] = bits.map(i => s"$letter$i")

  /** Returns the arrangement of a core's results. `y` names the bits of its block, of which the lowest `b` are transformed;
    * `out` names the results.
    *
    * The time has the lowest 6 - l bits of a block. The core transforms the highest three bits, exchanges the time's bits
    * with the highest lane bits, and transforms the lowest three bits. Each transform returns its results in bit-reversed
    * order.
    */
  def core(laneBits: Int, y: Seq[String], b: Int, out: Int => String): Seq[String] = {
    val q = radix - laneBits
    val (upper, lower) = ((b - 3) max 0, b min 3)
    val done = y.zipWithIndex.map { case (bit, i) =>
      if (i >= 3 && i - 3 < upper) out(upper - 1 - (i - 3))
      else if (i < lower) out(upper + lower - 1 - i)
      else bit
    }
    val (time, lanes) = (done.take(q), done.drop(q))
    (lanes.take(laneBits - q) ++ time) ++ lanes.drop(laneBits - q)
  }

  /** Returns a block's bits by position: the lanes have the highest ones. */
  def block(laneBits: Int, y: Seq[String]): Seq[String] = {
    val q = radix - laneBits
    y.drop(q) ++ y.take(q)
  }

  /** The arrangement in front of the first core. It depends on `b` only if a transform is one small column. */
  def before(laneBits: Int, kind: Kind.Value, b: Int): Arrangement = {
    val a = named("a", 0 until radix)
    if (kind != Kind.Whole || b >= laneBits) {
      val c = named("c", 0 until laneBits)
      Arrangement(c ++ a, block(laneBits, a) ++ c)
    } else {
      val index = named("b", 0 until b) ++ a
      Arrangement(index, block(laneBits, a) ++ named("b", 0 until b))
    }
  }

  /** The arrangement between the cores. */
  def between(laneBits: Int, kind: Kind.Value, b: Int): Arrangement = {
    val o = core(laneBits, named("a", 0 until radix), radix, i => s"o$i")
    val c = if (kind == Kind.Whole) Seq.empty else named("c", 0 until laneBits)
    val low = named("o", 0 until b)
    val rest = if (kind == Kind.Last) c ++ low else low ++ c
    Arrangement(o ++ c ++ named("b", 0 until b), block(laneBits, second(b)) ++ rest)
  }

  /** The second core's block: `b` bits of the index, and the highest ones of the first core's result. */
  private def second(b: Int) = named("b", 0 until b) ++ named("o", b until radix)

  /** The arrangement after the second core. */
  def after(laneBits: Int, kind: Kind.Value, b: Int): Arrangement = {
    val made = core(laneBits, second(b), b, i => s"r$i")
    val r = named("r", 0 until b)
    if (kind == Kind.Last) {
      val c = named("c", 0 until laneBits)
      Arrangement(made ++ c, c ++ named("o", b until radix) ++ r)
    } else {
      val more = b min laneBits
      Arrangement(
        made ++ named("o", 0 until more),
        named("o", 0 until laneBits) ++ named("o", (b max laneBits) until radix) ++ r
      )
    }
  }
}
