package proofmill.top

/** The field processors with their programs. */
object MicroUnits {
  def all: Seq[UnitTarget] = Seq.empty
}
