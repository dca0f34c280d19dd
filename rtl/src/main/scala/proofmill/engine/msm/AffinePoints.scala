package proofmill.engine.msm

import proofmill.arith.{Timed, Timing}
import proofmill.curve.{AffineLaw, AffinePoint}
import proofmill.field.{Arithmetic, Bound, Options}
import proofmill.spec.Curve
import spinal.core._

/** Affine points on `y^2 = x^3 + b` for additions in frames with one inversion. The pipeline's format is [[AffinePoint]]; in a reply Z is 0 or 1. */
class AffinePoints(curve: Curve, model: Boolean, slotBits: Int) extends Points(curve, model) {
  private val law = new AffineLaw(curve, Options(model = model))
  val arithmetic: Arithmetic = law.arithmetic
  private def empty = AffinePoint(law)
  val width: Int = empty.getBitsWidth
  val identity: BigInt = 1 // the flag, which is the lowest bit
  def core(bucketBits: Int, timing: Timing): BucketCore = BatchBucketAdder(law, bucketBits, slotBits, timing)

  // Two additions of two points alone: each is two thirds of the longest inversion, and seven products with what is between them.
  def latency(timing: Timing): Int = 2 * (4 * curve.baseField.bits / 3 + 7 * arithmetic.mulLatency)

  protected val bounds: Seq[(String, Bound)] = Seq("X" -> law.x, "Y" -> law.y, "Z" -> arithmetic.product)

  def coordinatesOf(point: Bits): Bits = {
    val affine = empty
    affine.assignFromBits(point)
    val coordinates = Seq(affine.x, affine.y, Points.constant(arithmetic, 1, arithmetic.product))
    val identities = Seq(0, 1, 0)
    Cat(coordinates.zip(bounds).zip(identities).map { case ((value, (_, bound)), identity) =>
      affine.isIdentity ? Points.constant(arithmetic, identity, bound) | value
    })
  }

  def fromMemory(slices: Seq[Bits], negative: Bool): Timed[Bits] = {
    val (affine, zero) = (fromSlices(slices, negative), isZero(slices))
    val cycle = (affine.values.map(_.cycle) ++ Seq(zero.cycle)).max
    val point = empty
    point.isIdentity := zero.at(cycle)
    point.x := affine("X").bits(cycle, law.x)
    point.y := affine("Y").bits(cycle, law.y)
    Timed(point.asBits, cycle)
  }
}
