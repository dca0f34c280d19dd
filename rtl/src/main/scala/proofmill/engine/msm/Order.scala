package proofmill.engine.msm

import spinal.core._

object OrderKind extends SpinalEnum {

  /** Buckets become the sum of their windows; all are empty then.
    *
    * Gather: the accumulator becomes its sum with a point from outside.
    *
    * Clear: all buckets become empty.
    */
  val Tail, Gather, Clear = newElement()
}

/** What a core does besides accumulation. Only a tail has parameters.
  *
  * @param bucketBits bits of a bucket's number
  */
case class Order(bucketBits: Int) extends Bundle {
  val kind = OrderKind()

  /** Bits c of a window, from 1 on: it has 2^(c - 1) buckets. */
  val windowBits = UInt(5 bits)

  /** How many windows, side by side from bucket 0 on, least first; at least one. */
  val windows = UInt(bucketBits + 1 bits)

  /** Doublings after the last window. */
  val after = UInt(16 bits)

  /** The accumulator begins as the identity; otherwise with what it has. */
  val first = Bool()
}
