package proofmill.engine.msm

import proofmill.arith.{Timed, Timing}
import proofmill.curve.{AffineLaw, AffinePoint}
import proofmill.field.{Arithmetic, Bound, Options}
import proofmill.spec.Curve
import spinal.core._

/** Affine points on `y^2 = x^3 + b` for additions in frames with one inversion. The pipeline's format is [[AffinePoint]]; in a reply Z is 0 or 1.
  *
  * @param group 1: coordinates in Fp; 2: in Fp2
  */
class AffinePoints(curve: Curve, group: Int, model: Boolean, slotBits: Int) extends Points(curve, model) {
  private val law = new AffineLaw(curve, Options(model = model), group)
  val arithmetic: Arithmetic = law.arithmetic
  private def empty = AffinePoint(law)
  val width: Int = empty.getBitsWidth
  val identity: BigInt = 1 // the flag, which is the lowest bit
  def core(bucketBits: Int, timing: Timing): BucketCore = BatchBucketAdder(law, bucketBits, slotBits, timing)

  // Two additions of two points alone: each is two thirds of the longest inversion, seven products with what is between them, and two for the norm in Fp2.
  def latency(timing: Timing): Int = 2 * (4 * curve.baseField.bits / 3 + (5 + 2 * components) * arithmetic.mulLatency)

  protected val bounds: Seq[(String, Bound)] = Seq("X" -> law.x, "Y" -> law.y, "Z" -> arithmetic.product)

  def coordinatesOf(point: Bits): Bits = {
    val affine = empty
    affine.assignFromBits(point)
    def constant(value: Int, bound: Bound) = arithmetic.constant(value, bound).resize(components * digits * bound.width)
    val coordinates = Seq(affine.x, affine.y, constant(1, arithmetic.product))
    val identities = Seq(0, 1, 0)
    Cat(coordinates.zip(bounds).zip(identities).map { case ((value, (_, bound)), identity) =>
      affine.isIdentity ? constant(identity, bound) | value
    })
  }

  def fromMemory(slices: Seq[Bits], negative: Bool): Timed[Bits] = {
    val (affine, zero) = (ofComponents(slices).map(fromSlices(_, negative)), isZero(slices))
    val cycle = (affine.flatMap(_.values.map(_.cycle)) ++ Seq(zero.cycle)).max
    def all(coordinate: String, bound: Bound) = Cat(affine.map(_(coordinate).bits(cycle, bound)))
    val point = empty
    point.isIdentity := zero.at(cycle)
    point.x := all("X", law.x)
    point.y := all("Y", law.y)
    Timed(point.asBits, cycle)
  }
}
