package proofmill.curve

import proofmill.field.{Arithmetic, Bound}
import proofmill.spec.{Curve, Formula}

/** A point addition formula of a curve, from which a pipeline is generated.
  *
  * Sums are added again: an output can return to the inputs that `feedback` names, so the bound of such an input includes the
  * output's bound. All other inputs are canonical residues as `encode` returns them, or bits.
  *
  * @param feedback each input with feedback and its output
  * @param bits inputs that are 0 or 1
  */
case class PointAdder(curve: Curve, formula: Formula, feedback: Map[String, String], bits: Set[String] = Set.empty) {

  /** Returns a schedule with few reductions, and among those one of low latency.
    *
    * The first use that requires a reduction is not always the best place: one reduction of 12 t serves t1 + 12 t and t1 - 12
    * t. Therefore each line is tried with a reduction of its result. The best is kept as long as it improves the cost (greedy
    * search).
    */
  def schedule(terms: Terms): PipelineSchedule = {
    def cost(dataflow: Dataflow) = (dataflow.reductions, PipelineSchedule.earliest(dataflow).latency)
    def better(early: Set[String], dataflow: Dataflow): Option[(Set[String], Dataflow)] = {
      val tried = for (
        line <- formula.lines; if !early(line.result); set = early + line.result; found <- settled(set, terms)
      )
        yield set -> found
      tried.minByOption(t => cost(t._2)).filter(t => Ordering[(Int, Int)].lt(cost(t._2), cost(dataflow)))
    }
    @annotation.tailrec
    def best(early: Set[String], dataflow: Dataflow): Dataflow = better(early, dataflow) match {
      case Some((set, found)) => best(set, found)
      case None               => dataflow
    }
    val starts = Seq(Set.empty[String], formula.outputs.toSet).flatMap(early => settled(early, terms).map(early -> _))
    require(starts.nonEmpty, s"${formula.name} on ${curve.name}: no bound holds both sums and what they are made from")
    PipelineSchedule(starts.map { case (early, dataflow) => best(early, dataflow) }.minBy(cost))
  }

  def pipeline(arithmetic: Arithmetic, tagBits: Int = 0): FormulaPipeline =
    new FormulaPipeline(schedule(Terms(arithmetic)), arithmetic, tagBits)

  /** Returns the dataflow for the least bounds of the fed-back inputs that include the outputs; none if the bounds keep
    * growing.
    */
  private def settled(early: Set[String], terms: Terms): Option[Dataflow] = {
    def dataflow(bounds: Map[String, Bound]) =
      Dataflow(formula, terms, curve.baseField.modulus, curve.constants(formula), bits, bounds, early)
    def widened(dataflow: Dataflow) = feedback.map { case (in, out) =>
      val (before, after) = (dataflow.inputs(in), dataflow.bound(dataflow.outputs.toMap.apply(out)))
      in -> Bound(before.low.min(after.low), before.high.max(after.high))
    }
    val rounds = Iterator.iterate(dataflow(Map.empty))(before => dataflow(widened(before))).take(8)
    rounds.find(found => widened(found).forall { case (in, bound) => found.inputs(in) == bound })
  }
}

object PointAdder {

  /** (X1 : Y1 : Z1) + (X2 : Y2 : Z2) on `y^2 = x^3 + b` with a bit Z2: an affine point is (x, y, 1), the identity is (0, 1,
    * 0). Complete on every group of odd order: identities, equal points and opposite points need no special case.
    */
  def mixed(curve: Curve): PointAdder = {
    require(curve.hasNoLinearTerm, s"${curve.name}: the formula is for a = 0")
    PointAdder(curve, Formula("rcb_madd_z01"), fed(Projective, "1"), bits = Set("Z2"))
  }

  /** (X1 : Y1 : Z1) + (X2 : Y2 : Z2) on `y^2 = x^3 + b`, both projective, to add sums; the identity is (0 : 1 : 0). */
  def general(curve: Curve): PointAdder = {
    require(curve.hasNoLinearTerm, s"${curve.name}: the formula is for a = 0")
    PointAdder(curve, Formula(curve.formulas("add")), fed(Projective, "1", "2"))
  }

  /** (X1 : Y1 : Z1 : T1) + (X2 : Y2 : Z2 : T2), both extended, on `-x^2 + y^2 = 1 + d x^2 y^2`, to add sums; the identity is
    * (0 : 1 : 1 : 0). Complete on the same points as `edwards`.
    */
  def edwardsGeneral(curve: Curve): PointAdder =
    PointAdder(curve, minusOne(curve, "edwards_add"), fed(Extended, "1", "2"))

  /** (X1 : Y1 : Z1 : T1) + a precomputed (y - x, y + x, 2 d x y) on `-x^2 + y^2 = 1 + d x^2 y^2`.
    *
    * The identity is (0 : 1 : 1 : 0) on the left and (1, 1, 0) on the right. Complete on the points of odd order, hence on
    * the whole subgroup; not on points of even order.
    */
  def edwards(curve: Curve): PointAdder =
    PointAdder(curve, minusOne(curve, "edwards_madd"), fed(Extended, "1"))

  /** (X1, Y1) + (X2, Y2), both affine, on `y^2 = x^3 + b`, where the inverse of X2 - X1 is known, or of Y1 + Y2 if the points
    * are equal (bit B). Not for the identity nor for opposite points.
    */
  def affine(curve: Curve): PointAdder = {
    require(curve.hasNoLinearTerm, s"${curve.name}: the formula is for a = 0")
    PointAdder(curve, Formula("affine_sum"), fed(Affine, "1", "2"), bits = Set("B"))
  }

  private val Affine = Seq("X", "Y")
  private val Projective = Seq("X", "Y", "Z")
  private val Extended = Seq("X", "Y", "Z", "T")

  /** Feedback of the sum to these operands. */
  private def fed(coordinates: Seq[String], operands: String*): Map[String, String] =
    operands.flatMap(n => coordinates.map(c => s"$c$n" -> s"${c}3")).toMap

  private def minusOne(curve: Curve, task: String): Formula = {
    require(curve.edwards.exists(_.a == -1), s"${curve.name}: the formula is for an Edwards form with a = -1")
    Formula(curve.formulas(task))
  }
}
