package proofmill.engine.coprocessor

import spinal.core._

/** A [[Shape]] in hardware. */
case class ShapeOf() extends Bundle {
  val slots = UInt(4 bits)
  val legal, second, jacobian = Bool()
}

object ShapeOf {
  private def bit(set: Boolean) = if (set) 1 else 0
  def literal(shape: Shape): Bits =
    B(shape.slots | (bit(shape.legal) << 4) | (bit(shape.second) << 5) | (bit(shape.jacobian) << 6), 7 bits)
  def of(word: Bits): ShapeOf = {
    val made = ShapeOf()
    made.assignFromBits(word)
    made
  }
}
