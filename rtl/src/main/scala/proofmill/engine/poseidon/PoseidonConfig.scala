package proofmill.engine.poseidon

import proofmill.spec.Poseidon
import spinal.core._

/** @param widths    elements of the states that it takes, the tag among them; ascending
  * @param elements  elements of a row, which is what goes round: the state of one hash, or of several
  * @param fullLanes S-boxes a cycle for full rounds; those for partial rounds are as many as hashes in a row
  * @param rows      rows under way at most, a power of two
  * @param memoryBits the memory has 2^memoryBits bytes
  * @param montgomery integers at the doors are in Montgomery form: times 2^256
  * @param twin      behavioural arithmetic, for simulation only
  */
case class PoseidonConfig(
    widths: Seq[Int],
    elements: Int,
    fullLanes: Int = 2,
    rows: Int = 256,
    memoryBits: Int = 32,
    montgomery: Boolean = false,
    twin: Boolean = false
) {

  /** What an integer at a door is of the element that it stands for. */
  val form: BigInt = if (montgomery) (BigInt(1) << 256).mod(Poseidon.field.modulus) else BigInt(1)

  val hashes: Seq[Poseidon] = widths.map(Poseidon(_))

  /** Hashes in a row, by the width's number in `widths`. */
  val blocks: Seq[Int] = widths.map(elements / _)
  val mostBlocks: Int = blocks.max
  require(blocks.min > 0 && blocks.forall(elements % _ == 0), s"hashes of $widths elements in a row of $elements")

  /** The element of a row where a hash begins. */
  def place(code: Int, block: Int): Int = block * (elements / blocks(code))

  /** Is this element of a row one of a state? */
  def isUsed(code: Int, element: Int): Boolean = element % (elements / blocks(code)) < widths(code)

  /** Bits that tell the widths' commands apart. */
  val kindBits: Int = log2Up(widths.size)
  val codeBits: Int = log2Up(widths.size max 2)
  val slotBits: Int = log2Up(rows)

  /** A function of the width's number, chosen by it. */
  def byCode[T <: Data](code: UInt, values: Seq[T]): T =
    if (values.size == 1) values.head
    else {
      val padded = values.padTo(1 << codeBits, values.last)
      Vec(padded)(code)
    }
}

object PoseidonConfig {

  /** By name: each of Filecoin's arities alone, with as many elements in a row as keep its lanes busy; a small one; and one for all. */
  val named: Seq[(String, PoseidonConfig)] = {
    val alone = Seq(2 -> 12, 4 -> 10, 8 -> 9, 11 -> 12)
    alone.map { case (arity, elements) => s"poseidon_$arity" -> PoseidonConfig(Seq(arity + 1), elements) } ++ Seq(
      "poseidon_small" -> PoseidonConfig(Seq(3), elements = 3, fullLanes = 1, rows = 16, memoryBits = 21),
      "poseidon" -> PoseidonConfig(alone.map(_._1 + 1), elements = 12)
    )
  }

  /** Those whose streams are TRIDENT's. */
  val streams: Seq[(String, PoseidonConfig)] = Seq(
    "poseidon_stream" -> named.toMap.apply("poseidon").copy(montgomery = true),
    "poseidon_stream_small" ->
      PoseidonConfig(Seq(3, 5), elements = 5, fullLanes = 1, rows = 16, memoryBits = 21, montgomery = true)
  )
}
