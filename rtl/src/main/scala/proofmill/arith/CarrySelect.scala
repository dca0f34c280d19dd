package proofmill.arith

import spinal.core._

/** A sum of two words and a carry in one cycle, in chains that are short: all parts but the lowest are added with and without a carry, and the
  * parts' carries, found from those of the parts below, choose. What a long chain would cost in time costs a second chain here.
  */
object CarrySelect {

  /** a + b + carry, as wide as both, which are equally wide.
    *
    * @param longest bits of a sum that is one chain
    * @param part bits of a part of a longer one
    */
  def apply(a: SInt, b: SInt, carry: Bool, longest: Int = 320, part: Int = 96): SInt = {
    val width = a.getWidth
    require(b.getWidth == width, s"words of $width and ${b.getWidth} bits")
    if (width <= longest) added(a.asUInt, b.asUInt, carry).resize(width).asSInt
    else {
      val cuts = (0 until width by part).map(from => (from, part min (width - from)))
      val parts = cuts.map { case (from, bits) => (a(from, bits bits).asUInt, b(from, bits bits).asUInt) }
      val lowest = added(parts.head._1, parts.head._2, carry)
      val (sums, _) = parts.tail.foldLeft((Seq(lowest.dropHigh(1)), lowest.msb)) { case ((sums, carry), (a, b)) =>
        val (without, with_) = (added(a, b, False), added(a, b, True))
        (sums :+ (carry ? with_ | without).dropHigh(1), without.msb || with_.msb && carry)
      }
      Cat(sums).asSInt
    }
  }

  /** One bit wider; the carry enters where the chain begins. */
  private def added(a: UInt, b: UInt, carry: Bool): UInt = ((a @@ True) +^ (b @@ carry)) >> 1
}
