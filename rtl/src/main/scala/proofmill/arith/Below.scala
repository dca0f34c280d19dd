package proofmill.arith

import spinal.core._

/** Compares an integer with a constant while its words come, the lowest one first. */
object Below {

  /** Whether what has come of the integer, the present word included, is below `bound`.
    *
    * @param place number of the word
    * @param fire  the word is taken in this cycle
    */
  def apply(bound: BigInt, word: Bits, place: UInt, fire: Bool): Bool = {
    val bits = word.getWidth
    val words =
      Vec((0 until 1 << place.getWidth).map(i => U(bound >> (bits * i) & ((BigInt(1) << bits) - 1), bits bits)))
    val before, now = Bool()
    before := RegNextWhen(now, fire) && place =/= 0
    now := word.asUInt < words(place) || (word.asUInt === words(place) && before)
    now
  }
}
