package proofmill.engine.poseidon

import proofmill.spec.{Poseidon, Strength}
import spinal.core._

/** @param widths    sizes of the states that it accepts, tag included; ascending
  * @param elements  elements of a row, the unit of the pipeline: the state of one hash, or of several
  * @param fullLanes S-boxes a cycle for full rounds; those for partial rounds are as many as hashes in a row
  * @param rows      maximum number of rows in flight, a power of two
  * @param memoryBits the memory has 2^memoryBits bytes
  * @param strengths the first one is the standard strength, which layers use
  * @param montgomery integers at the ports are in Montgomery form: times 2^256
  * @param model      behavioural arithmetic, for simulation only
  */
case class PoseidonConfig(
    widths: Seq[Int],
    elements: Int,
    fullLanes: Int = 2,
    rows: Int = 256,
    memoryBits: Int = 32,
    strengths: Seq[Strength] = Seq(Strength.Standard),
    montgomery: Boolean = false,
    model: Boolean = false
) {

  /** The factor between an element and the integer at a port that represents it. */
  val form: BigInt = if (montgomery) (BigInt(1) << 256).mod(Poseidon.field.modulus) else BigInt(1)

  /** The hashes: for each strength all widths. The index in this sequence is a hash's code in commands and rows. */
  val hashes: Seq[Poseidon] = strengths.flatMap(strength => widths.map(Poseidon(_, strength)))
  require(strengths.head == Strength.Standard, "layers are of the standard strength")

  /** Hashes in a row, by code. */
  val blocks: Seq[Int] = hashes.map(elements / _.width)
  val mostBlocks: Int = blocks.max
  require(blocks.min > 0 && blocks.forall(elements % _ == 0), s"hashes of $widths elements in a row of $elements")

  /** Returns the element of a row at which a hash begins. */
  def place(code: Int, block: Int): Int = block * (elements / blocks(code))

  /** Returns whether an element of a row belongs to a state. */
  def isUsed(code: Int, element: Int): Boolean = element % (elements / blocks(code)) < hashes(code).width

  /** Bits that identify a hash in the commands. */
  val kindBits: Int = log2Up(hashes.size)
  val codeBits: Int = log2Up(hashes.size max 2)

  /** Bits of a round's index in its phase; one value more than there are partial rounds. */
  val stepBits: Int = log2Up(hashes.map(_.partial).max + 1)
  val slotBits: Int = log2Up(rows)

  /** Selects the value of a code. */
  def byCode[T <: Data](code: UInt, values: Seq[T]): T =
    if (values.size == 1) values.head
    else {
      val padded = values.padTo(1 << codeBits, values.last)
      Vec(padded)(code)
    }
}

object PoseidonConfig {

  /** By name: each of Filecoin's arities alone, with as many elements in a row as keep its lanes busy; of both strengths a
    * small configuration and one for all arities.
    */
  val named: Seq[(String, PoseidonConfig)] = {
    val alone = Seq(2 -> 12, 4 -> 10, 8 -> 9, 11 -> 12)
    alone.map { case (arity, elements) => s"poseidon_$arity" -> PoseidonConfig(Seq(arity + 1), elements) } ++ Seq(
      "poseidon_small" ->
        PoseidonConfig(Seq(3), elements = 3, fullLanes = 1, rows = 16, memoryBits = 21, strengths = Strength.all),
      "poseidon" -> PoseidonConfig(alone.map(_._1 + 1), elements = 12, strengths = Strength.all)
    )
  }

  /** Configurations with TRIDENT's stream format. */
  val streams: Seq[(String, PoseidonConfig)] = Seq(
    "poseidon_stream" -> named.toMap.apply("poseidon").copy(montgomery = true, strengths = Seq(Strength.Standard)),
    "poseidon_stream_small" ->
      PoseidonConfig(Seq(3, 5), elements = 5, fullLanes = 1, rows = 16, memoryBits = 21, montgomery = true)
  )
}
