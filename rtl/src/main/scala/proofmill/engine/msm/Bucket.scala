package proofmill.engine.msm

import spinal.core._

/** The location of a bucket: its bank is the parity of its number, so that two buckets whose numbers differ in one bit are read in the same cycle. */
object Bucket {
  def bank(bucket: UInt): Bool = bucket.asBits.xorR

  /** Its address in the bank. */
  def place(bucket: UInt): UInt = bucket >> 1
}
