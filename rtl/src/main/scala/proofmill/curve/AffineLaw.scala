package proofmill.curve

import proofmill.field.{Arithmetic, Bound, Options, Residue}
import proofmill.spec.Curve
import proofmill.stream.Port
import spinal.core._

/** Affine points on `y^2 = x^3 + b` in the format of a pipeline, and the formula that adds them with a known inverse. A sum
  * is within the bounds of an operand.
  */
class AffineLaw(val curve: Curve, options: Options = Options()) {
  val arithmetic: Arithmetic = Arithmetic(curve.baseField, options)
  val schedule: PipelineSchedule = PointAdder.affine(curve).schedule(Terms(arithmetic))
  val Seq(x, y): Seq[Bound] = Seq("X", "Y").map { name =>
    val Seq(left, right) = Seq("1", "2").map(n => schedule.dataflow.inputs(name + n))
    require(left == right, s"${curve.name}: ${name}1 is $left, ${name}2 is $right")
    left
  }

  /** The ports of a point: whether it is the identity, whose coordinates are ignored, and the coordinates. */
  def ports(number: String): Seq[Port] =
    Seq(Port(s"identity$number", 1), arithmetic.port(s"X$number", x), arithmetic.port(s"Y$number", y))
}

/** A point within the bounds of a law. */
case class AffinePoint(law: AffineLaw) extends Bundle {
  import law.arithmetic.digits
  val isIdentity = Bool() // the coordinates are ignored
  val x = Bits(digits * law.x.width bits)
  val y = Bits(digits * law.y.width bits)

  /** The coordinates as residues in a cycle. */
  def residues(cycle: Int): (Residue, Residue) = (Residue(x, digits, law.x, cycle), Residue(y, digits, law.y, cycle))
}
