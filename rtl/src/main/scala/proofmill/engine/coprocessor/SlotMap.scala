package proofmill.engine.coprocessor

import spinal.core._

/** The slots of the pairing processor: those of data memory, and behind them working slots of the executor. */
case class SlotMap(log2: Int) {
  val bits: Int = log2 + 2
  private val base = 1 << log2

  /** The value of a curve's equation at a point, which is 0 if the point is on the curve. */
  val equation: Int = base

  /** Affine forms of two operands. */
  val affineForms: Seq[Int] = Seq(base + 8, base + 16)

  /** Tables of two operands' multiples. */
  private val tableSlots = PointUnit.entrySlots << PointUnit.window
  val tables: Seq[Int] = Seq(base + 24, base + 24 + tableSlots)
  val accumulator: Int = base + 24 + 2 * tableSlots
  require(
    accumulator + PointUnit.resultSlots <= 2 * base,
    s"the processor's slots are too few for $tableSlots slots of a table, twice"
  )

  /** Tables of multiples that overlap, each followed by what its job stores. */
  val overlapped = 4
  private val overlappedBits = log2Up(base / 2)
  require(2 * base == overlapped << overlappedBits && tableSlots + PointUnit.resultSlots <= (1 << overlappedBits))

  /** Slot `offset` of table `index` of them. */
  def overlapped(index: UInt, offset: Int): UInt = U(1, 1 bits) @@ index @@ U(offset, overlappedBits bits)
}
