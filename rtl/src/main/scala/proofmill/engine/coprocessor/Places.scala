package proofmill.engine.coprocessor

import spinal.core._

/** Slots of the pairing processor behind those of data memory. */
case class Places(log2: Int) {
  val bits: Int = log2 + 2
  private val base = 1 << log2

  /** What a point lacks to be on its curve. */
  val equation: Int = base

  /** Affine forms of two operands. */
  val normal: Seq[Int] = Seq(base + 8, base + 16)

  /** Tables of two operands' multiples; one of them has to have room for all. */
  private val room = PointUnit.entrySlots << PointUnit.window
  val tables: Seq[Int] = Seq(base + 24, base + 24 + room)
  val accumulator: Int = base + 24 + 2 * room
  require(
    accumulator + PointUnit.resultSlots <= 2 * base,
    s"the processor's slots are too few for $room slots of a table, twice"
  )

  /** Tables of multiples that overlap, and behind each what its job stores. */
  val flights = 4
  private val ofFlight = log2Up(base / 2)
  require(2 * base == flights << ofFlight && room + PointUnit.resultSlots <= (1 << ofFlight))

  /** Slot `offset` of one of them. */
  def flight(index: UInt, offset: Int): UInt = U(1, 1 bits) @@ index @@ U(offset, ofFlight bits)
}
