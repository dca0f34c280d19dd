package proofmill.engine.msm

import spinal.core._

object AdderRequestKind extends SpinalEnum {

  /** Item: a point for bucket `a`, which is `b` too.
    *
    * Keep and Take: bucket `a` becomes the sum of `a` and `b`; `b` is then as before, or empty.
    *
    * Begin, Double, Collect, Gather: the accumulator becomes the identity, twice itself, its sum with bucket `a`, which is `b` too and then empty, or its sum with the point from outside.
    */
  val Item, Keep, Take, Begin, Double, Collect, Gather = newElement()
}

/** What is to go into the adder next. Two buckets that differ lie in different banks. */
case class AdderRequest(bucketBits: Int) extends Bundle {
  val kind = AdderRequestKind()
  val a, b = UInt(bucketBits bits)

  /** The place in each bank that is read. */
  def places: Seq[UInt] = {
    val swapped = Bucket.bank(a)
    Seq(swapped ? Bucket.place(b) | Bucket.place(a), swapped ? Bucket.place(a) | Bucket.place(b))
  }
  def isItem: Bool = kind === AdderRequestKind.Item
  def isPair: Bool = kind === AdderRequestKind.Keep || kind === AdderRequestKind.Take

  /** Does the sum go to the accumulator? */
  def isForAcc: Bool = !isItem && !isPair
}
