package proofmill.arith

import spinal.core._

/** A sum of two words and a carry in one cycle, in chains that are short: all parts but the lowest are added with and without a carry, and the
  * parts' carries, found from those of the parts below, choose. What a long chain would cost in time costs a second chain here.
  */
object CarrySelect {

  /** a + b + carry, as wide as both, which are equally wide.
    *
    * @param longest bits of a sum that is one chain
    * @param part about as many bits has a part of a longer one
    */
  def apply(a: SInt, b: SInt, carry: Bool, longest: Int = 320, part: Int = 128): SInt = {
    val width = a.getWidth
    require(b.getWidth == width, s"words of $width and ${b.getWidth} bits")
    if (width <= longest) added(a.asUInt, b.asUInt, carry).resize(width).asSInt
    else {
      val count = (width.toDouble / part).round.toInt max 2
      val size = (width + count - 1) / count
      val cuts = (0 until width by size).map(from => (from, size min (width - from)))
      val parts = cuts.map { case (from, bits) => (a(from, bits bits).asUInt, b(from, bits bits).asUInt) }
      val lowest = added(parts.head._1, parts.head._2, carry)
      val others = parts.tail.map { case (a, b) => (added(a, b, False), added(a, b, True)) }

      /** Into each part above the lowest: from one of those below, and through all between. */
      def into(part: Int): Bool = (0 until part).foldLeft(lowest.msb) { case (carry, i) =>
        others(i)._1.msb || others(i)._2.msb && carry
      }
      val sums = others.zipWithIndex.map { case ((without, more), i) => (into(i) ? more | without).dropHigh(1) }
      Cat(lowest.dropHigh(1) +: sums).asSInt
    }
  }

  /** One bit wider; the carry enters where the chain begins. */
  private def added(a: UInt, b: UInt, carry: Bool): UInt = ((a @@ True) +^ (b @@ carry)) >> 1
}
