package proofmill.engine.msm

import spinal.core._

/** A point on its way to a bucket. */
case class Item(points: Summands, bucketBits: Int) extends Bundle {
  val bucket = UInt(bucketBits bits)
  val point = Bits(points.width bits)
}
