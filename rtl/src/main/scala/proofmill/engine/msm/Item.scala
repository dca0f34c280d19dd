package proofmill.engine.msm

import spinal.core._

/** A point for a bucket. */
case class Item(points: AdditiveGroup, bucketBits: Int) extends Bundle {
  val bucket = UInt(bucketBits bits)
  val point = Bits(points.width bits)
}
