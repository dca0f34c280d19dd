package proofmill.engine.msm

import proofmill.arith.{Timed, Timing}
import proofmill.curve.{FormulaPipeline, PipelineSchedule, PointAdder, Terms}
import proofmill.field.{Arithmetic, Bound, Options}
import proofmill.spec.Curve
import spinal.core._

/** Points in Edwards form, for a complete addition formula without inversions.
  *
  * The pipeline's format is the concatenation of the coordinates X, Y, Z and T, the first one in the low bits, as the adder
  * returns them. A sum is therefore an operand of either side.
  */
class EdwardsPoints(curve: Curve, model: Boolean) extends Points(curve, model) with AdditiveGroup {
  override protected def edwards: Boolean = true
  val arithmetic: Arithmetic = Arithmetic(curve.baseField, Options(model = model))
  private val schedule: PipelineSchedule = PointAdder.edwardsGeneral(curve).schedule(Terms(arithmetic))

  def adder(): FormulaPipeline = new FormulaPipeline(schedule, arithmetic)
  val latency: Int = schedule.latency
  def core(bucketBits: Int, timing: Timing): BucketCore = new BucketAdder(this, bucketBits, timing)
  def latency(timing: Timing): Int = BucketAdder.latency(this, timing)

  protected val bounds: Seq[(String, Bound)] = schedule.dataflow.outputs.map { case (name, value) =>
    val sum = schedule.dataflow.bound(value)
    val Seq(left, right) = Seq("1", "2").map(n => schedule.dataflow.inputs(name.take(1) + n))
    require(
      left == right && sum.within(left) && sum.width == left.width,
      s"${curve.name}: $name is $sum, operands are $left and $right"
    )
    name.take(1) -> left
  }
  val width: Int = digitWidths.sum
  val identity: BigInt = {
    bounds.foldRight(BigInt(0)) { case ((name, bound), higher) =>
      (higher << digits * bound.width) + arithmetic.word(if (name == "Y" || name == "Z") 1 else 0, bound)
    }
  }
  def coordinatesOf(point: Bits): Bits = point

  def fromMemory(slices: Seq[Bits], negative: Bool): Timed[Bits] = {
    val affine = fromSlices(slices, negative)
    val cycle = affine.values.map(_.cycle).max
    val point = Cat(bounds.map { case (name, bound) =>
      affine.get(name).fold(arithmetic.constant(1, bound))(_.bits(cycle, bound))
    })
    Timed(point, cycle)
  }
}
