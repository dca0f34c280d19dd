package proofmill.engine.msm

import spinal.core._

object CoreCommandKind extends SpinalEnum {

  /** Reduce: each window's buckets become their weighted sum, which is added to the accumulator; all buckets are empty afterwards.
    *
    * Gather: the accumulator becomes its sum with an external point.
    *
    * Clear: all buckets become empty.
    */
  val Reduce, Gather, Clear = newElement()
}

/** A command of a [[BatchBucketAdder]], besides accumulation. Only Reduce has parameters.
  *
  * @param bucketBits bits of a bucket's number
  */
case class CoreCommand(bucketBits: Int) extends Bundle {
  val kind = CoreCommandKind()

  /** Bits c of a window, from 1: it has 2^(c - 1) buckets. */
  val windowBits = UInt(5 bits)

  /** The number of windows, in consecutive buckets from bucket 0, least significant first; at least one. */
  val windows = UInt(bucketBits + 1 bits)

  /** Doublings after the last window. */
  val after = UInt(16 bits)

  /** The accumulator starts from the identity; otherwise from its value. */
  val first = Bool()
}
