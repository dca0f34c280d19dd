package proofmill.top

/** The multipliers, adders and reductions of every field. */
object FieldUnits {
  def all: Seq[UnitTarget] = Seq.empty
}
