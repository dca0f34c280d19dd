package proofmill.engine.msm

import spinal.core._

/** Where a bucket lies: in one of two banks by the parity of its number, so that two whose numbers differ in one bit can be
  * read at the same time.
  */
object Bucket {
  def bank(bucket: UInt): Bool = bucket.asBits.xorR

  /** Its place in the bank. */
  def place(bucket: UInt): UInt = bucket >> 1
}
