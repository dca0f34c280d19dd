package proofmill.engine.msm

import spinal.core._

object AdderRequestKind extends SpinalEnum {

  /** Item: a point for bucket `a`; `b` equals `a`.
    *
    * Keep and Take: bucket `a` becomes the sum of `a` and `b`; `b` keeps its content, or becomes empty.
    *
    * Begin, Double: the accumulator becomes the identity, or twice itself.
    *
    * Collect: the accumulator becomes its sum with bucket `a`, which becomes empty; `b` equals `a`.
    *
    * Gather: the accumulator becomes its sum with the external point.
    */
  val Item, Keep, Take, Begin, Double, Collect, Gather = newElement()
}

/** A pair to be issued to the adder. Two buckets that differ lie in different banks. */
case class AdderRequest(bucketBits: Int) extends Bundle {
  val kind = AdderRequestKind()
  val a, b = UInt(bucketBits bits)

  /** The address that is read in each bank. */
  def places: Seq[UInt] = {
    val swapped = Bucket.bank(a)
    Seq(swapped ? Bucket.place(b) | Bucket.place(a), swapped ? Bucket.place(a) | Bucket.place(b))
  }
  def isItem: Bool = kind === AdderRequestKind.Item
  def isPair: Bool = kind === AdderRequestKind.Keep || kind === AdderRequestKind.Take

  /** Returns whether the sum goes to the accumulator. */
  def isForAcc: Bool = !isItem && !isPair
}
