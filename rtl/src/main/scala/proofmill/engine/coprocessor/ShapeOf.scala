package proofmill.engine.coprocessor

import spinal.core._

/** A [[Shape]] in hardware. */
case class ShapeOf() extends Bundle {
  val slots = UInt(ShapeOf.countBits bits)
  val legal, second, jacobian = Bool()
}

object ShapeOf {

  /** Of the number of slots of an operand. */
  val countBits: Int = log2Up(InstructionSet.lines + 1)

  /** Slots of a coordinate of a point. */
  def coordinate(second: Bool): UInt = second ? U(2, countBits bits) | U(1, countBits bits)

  private def bit(set: Boolean) = if (set) 1 else 0
  def literal(shape: Shape): Bits = {
    val flags = Seq(shape.legal, shape.second, shape.jacobian)
    B(
      shape.slots | flags.zipWithIndex.map { case (set, i) => bit(set) << (countBits + i) }.sum,
      countBits + flags.size bits
    )
  }
  def of(word: Bits): ShapeOf = {
    val made = ShapeOf()
    made.assignFromBits(word)
    made
  }
}
