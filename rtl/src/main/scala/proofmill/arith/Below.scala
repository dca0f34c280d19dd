package proofmill.arith

import spinal.core._

/** A comparison of an integer with a constant while the integer's words arrive, least significant word first. */
object Below {

  /** Returns whether the words received so far, including the present one, are below the same words of `bound`.
    *
    * @param place index of the word
    * @param fire  whether the word is transferred in this cycle
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
