package proofmill.engine.ntt

/** Which bit of an element's index stands where: positions are the bits of the lane's number, then those of the time, lowest first.
  *
  * Letters: `a` of the first core's index, `o` of its result; `b` and `r` of the second; `c` of the column.
  */
case class Arrangement(in: Seq[String], out: Seq[String]) {
  require(in.sorted == out.sorted, s"$in is not $out in another order")
  def bits: Int = in.size
}

/** How a pass goes through the circuit. Each pass has columns of 2^(6 + b) elements, of which a tile has as many as there are lanes.
  *
  *   - Whole: a transform is one column, and is in its natural order in the memory, before and after.
  *   - First: a column each lane in the memory before, and the results' lowest bits after.
  *   - Last: a column each lane, before and after.
  */
object Arrangement {
  object Kind extends Enumeration { val Whole, First, Last = Value }

  private val radix = NttConfig.radixBits
  private def named(letter: String, bits: Range): Seq[String] = bits.map(i => s"$letter$i")

  /** What a core's results stand for, whose block's bits are `y`, of which the lowest `b` are transformed: `out` names results.
    *
    * Time has the lowest 6 - l bits of a block. The highest three bits are transformed first, then the time's bits change places with the
    * highest ones of the lane, then the lowest three are transformed. Each transform leaves its results in reversed order.
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

  /** A block's bits by position: lanes have the highest. */
  def block(laneBits: Int, y: Seq[String]): Seq[String] = {
    val q = radix - laneBits
    y.drop(q) ++ y.take(q)
  }

  /** In front of the first core; the number of a column's bits decides where a transform is one column and small. */
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

  /** Between the cores. */
  def between(laneBits: Int, kind: Kind.Value, b: Int): Arrangement = {
    val o = core(laneBits, named("a", 0 until radix), radix, i => s"o$i")
    val c = if (kind == Kind.Whole) Seq.empty else named("c", 0 until laneBits)
    val low = named("o", 0 until b)
    val rest = if (kind == Kind.Last) c ++ low else low ++ c
    Arrangement(o ++ c ++ named("b", 0 until b), block(laneBits, second(b)) ++ rest)
  }

  /** The second core's block: `b` bits of the index, and the highest ones of the first core's result. */
  private def second(b: Int) = named("b", 0 until b) ++ named("o", b until radix)

  /** Behind the second core. */
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
