package proofmill.curve

import proofmill.field.{Arithmetic, Bound, Options, Residue}
import proofmill.spec.Curve
import proofmill.stream.Port
import spinal.core._
import spinal.lib._

/** Affine points on `y^2 = x^3 + b` in the format of a pipeline, and the formula that adds them with a known inverse. A sum
  * is within the bounds of an operand.
  *
  * @param group 1: coordinates in Fp; 2: in Fp2
  */
class AffineLaw(val curve: Curve, options: Options = Options(), group: Int = 1) {
  val arithmetic: Arithmetic = Arithmetic(curve, group, options)
  val schedule: PipelineSchedule = PointAdder.affine(curve).schedule(Terms(arithmetic))
  val Seq(x, y): Seq[Bound] = Seq("X", "Y").map { name =>
    val Seq(left, right) = Seq("1", "2").map(n => schedule.dataflow.inputs(name + n))
    require(left == right, s"${curve.name}: ${name}1 is $left, ${name}2 is $right")
    left
  }

  /** The ports of a point: whether it is the identity, whose coordinates are ignored, and the components of the coordinates. */
  def ports(number: String): Seq[Port] =
    Port(s"identity$number", 1) +: Seq(s"X$number" -> x, s"Y$number" -> y).flatMap {
      case (name, bound) => arithmetic.componentNames(name).map(arithmetic.port(_, bound))
    }
}

/** A point within the bounds of a law.
  *
  * @param components of each coordinate that it holds, the first one in the low bits: all, or one in series
  */
case class AffinePoint(law: AffineLaw, components: Int) extends Bundle {
  import law.arithmetic.digits
  val isIdentity = Bool() // the coordinates are ignored
  val x = Bits(components * digits * law.x.width bits)
  val y = Bits(components * digits * law.y.width bits)

  /** The component of all coordinates. */
  def component(i: Int): AffinePoint = {
    val point = AffinePoint(law, components = 1)
    point.isIdentity := isIdentity
    point.x := x.subdivideIn(components slices)(i)
    point.y := y.subdivideIn(components slices)(i)
    point
  }

  /** The coordinates of one component as residues in a cycle. */
  def residues(cycle: Int): (Residue, Residue) = (Residue(x, digits, law.x, cycle), Residue(y, digits, law.y, cycle))
}

object AffinePoint {

  /** A point with all components. */
  def apply(law: AffineLaw): AffinePoint = AffinePoint(law, law.arithmetic.components)

  /** The point whose components have passed in series, in the cycle of the last one. */
  def gathered(component: AffinePoint): AffinePoint = {
    val point = AffinePoint(component.law)
    def all(coordinate: Bits) = Series.gathered(coordinate, point.components)
    point.isIdentity := component.isIdentity
    point.x := all(component.x)
    point.y := all(component.y)
    point
  }
}
