package proofmill.top

/** The point adders. */
object CurveUnits {
  def all: Seq[UnitTarget] = Seq.empty
}
