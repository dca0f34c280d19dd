package proofmill.engine.coprocessor

/** Slots of the pairing processor behind those of data memory. */
case class Places(log2: Int) {
  val bits: Int = log2 + 1
  private val base = 1 << log2

  /** What a point lacks to be on its curve. */
  val equation: Int = base

  /** Affine forms of two operands. */
  val normal: Seq[Int] = Seq(base + 8, base + 16)

  /** Tables of two operands' multiples; one of them has to have room for all. */
  private val room = Points.entrySlots << Points.window
  val tables: Seq[Int] = Seq(base + 24, base + 24 + room)
  val accumulator: Int = base + 24 + 2 * room
  require(
    accumulator + Points.entrySlots <= (1 << bits),
    s"the processor's slots are too few for $room slots of a table, twice"
  )
}
