package proofmill.curve

import proofmill.field.{Arithmetic, Bound}
import proofmill.spec.{Curve, Formula}

/** The addition of points of a curve by a formula, ready to become a pipeline.
  *
  * Sums are added to again: what comes out may go in where `feedback` says, so an input has room for the output that
  * feeds it. All other inputs are canonical residues as `encode` gives them, or bits.
  *
  * @param feedback input and the output that may come back there
  * @param bits inputs that are 0 or 1
  */
case class PointAdder(curve: Curve, formula: Formula, feedback: Map[String, String], bits: Set[String] = Set.empty) {

  /** The cheapest schedule: with the fewest reductions, then the fewest registers. */
  def schedule(terms: Terms): Schedule = {
    val demands = Seq(terms.factor, terms.reducible)
    val tried = demands.flatMap(settled(_, terms)).map(Schedule(_))
    require(tried.nonEmpty, s"${formula.name} on ${curve.name}: no bound holds both sums and what they are made from")
    tried.minBy(found => (found.program.reductions, found.registerBits))
  }

  def pipeline(arithmetic: Arithmetic, tagBits: Int = 0): FormulaPipeline =
    new FormulaPipeline(schedule(Terms(arithmetic)), arithmetic, tagBits)

  /** The program for the least bounds of the fed inputs that hold what comes back, outputs being within `demand`. */
  private def settled(demand: Bound, terms: Terms): Option[Program] = {
    def program(bounds: Map[String, Bound]) =
      Program(formula, terms, curve.baseField.modulus, curve.constants(formula), bits, bounds, Some(demand))
    def widened(program: Program) = feedback.map { case (in, out) =>
      val (before, after) = (program.inputs(in), program.bound(program.outputs.toMap.apply(out)))
      in -> Bound(before.low.min(after.low), before.high.max(after.high))
    }
    val rounds = Iterator.iterate(program(Map.empty))(before => program(widened(before))).take(8)
    rounds.find(found => widened(found) == found.inputs.filter { case (in, _) => feedback.contains(in) })
  }
}

object PointAdder {

  /** (X1 : Y1 : Z1) + (X2 : Y2 : Z2) on `y^2 = x^3 + b` with Z2 a bit: an affine point is (x, y, 1), the identity is
    * (0, 1, 0). Complete on every group of odd order: identity on either side or both, equal and opposite points are no
    * exceptions.
    */
  def mixed(curve: Curve): PointAdder = {
    require(curve.a == 0, s"${curve.name}: the formula is for a = 0")
    PointAdder(curve, Formula("rcb_madd_z01"), Map("X1" -> "X3", "Y1" -> "Y3", "Z1" -> "Z3"), bits = Set("Z2"))
  }

  /** (X1 : Y1 : Z1) + (X2 : Y2 : Z2) on `y^2 = x^3 + b`, both projective, for sums of sums; the identity is (0 : 1 : 0). */
  def general(curve: Curve): PointAdder = {
    require(curve.a == 0, s"${curve.name}: the formula is for a = 0")
    PointAdder(
      curve,
      Formula(curve.formulas("add")),
      Seq("1", "2").flatMap(n => Seq("X", "Y", "Z").map(c => s"$c$n" -> s"${c}3")).toMap
    )
  }

  /** (X1 : Y1 : Z1 : T1) + a precomputed (y - x, y + x, 2 d x y) on `-x^2 + y^2 = 1 + d x^2 y^2`.
    *
    * The identity is (0 : 1 : 1 : 0) on the left and (1, 1, 0) on the right. Complete on the points of odd order, so on
    * the whole subgroup; not on points of even order.
    */
  def edwards(curve: Curve): PointAdder = {
    require(curve.edwards.exists(_.a == -1), s"${curve.name}: the formula is for an Edwards form with a = -1")
    val coordinates = Seq("X", "Y", "Z", "T")
    PointAdder(curve, Formula(curve.formulas("edwards_madd")), coordinates.map(c => s"${c}1" -> s"${c}3").toMap)
  }
}
