package proofmill.engine.msm

import spinal.core._

/** A point of `width` bits for a bucket. */
case class Item(width: Int, bucketBits: Int) extends Bundle {
  val bucket = UInt(bucketBits bits)
  val point = Bits(width bits)
}
