package proofmill.engine.ntt

import proofmill.spec.{Field, Spec}

/** @param instance   the field's name
  * @param lanes      elements a cycle: of Goldilocks 8, 16, 32 or 64, of a longer field 4; a beat of a memory channel has
  *   `perBeat` of them
  * @param mostLog    base-2 logarithm of the largest size: at most three passes of 2^passLog
  * @param passLog    base-2 logarithm of the largest column, at most 12; for a longer field an even number
  * @param memoryBits a memory channel has 2^memoryBits bytes
  * @param scalarBits for a field of 32 bytes, on a card with an MSM engine: the MSM engine's memory channels have
  *   2^scalarBits bytes, and results can be written there as scalars
  * @param model      behavioural multipliers, for simulation only
  */
case class NttConfig(
    instance: String = "goldilocks",
    lanes: Int = 8,
    mostLog: Int = 26,
    passLog: Int = NttConfig.passBits,
    memoryBits: Int = 30,
    scalarBits: Option[Int] = None,
    model: Boolean = false
) {
  private val facts = NttEngine.wire.getTable("fields").getTable(instance)
  val field: Field = Field(instance)

  /** The field's number in commands; bits of an element in the memory, and elements in a beat. */
  val number: Int = Spec.int(facts, "number")
  val elementBits: Int = 8 * Spec.int(facts, "element")
  val perBeat: Int = 8 * NttConfig.beat / elementBits
  val goldilocks: Boolean = instance == "goldilocks"

  require((if (goldilocks) Seq(8, 16, 32, 64) else Seq(4)).contains(lanes), s"$lanes lanes")
  require(passLog <= mostLog && mostLog <= 3 * passLog, s"2^$mostLog elements, columns of 2^$passLog")
  require(
    passLog <= NttConfig.passBits && (if (goldilocks) NttConfig.radixBits <= passLog
                                      else passLog % 2 == 0 && 4 <= passLog),
    s"columns of 2^$passLog"
  )

  require(scalarBits.isEmpty || elementBits == 256, s"scalars of $elementBits bits")

  val laneBits: Int = Integer.numberOfTrailingZeros(lanes)
  val channels: Int = lanes / perBeat

  /** A column has 2^(coreBits + b) elements; the parameter `b` of a pass has `sizeBits` bits. */
  val coreBits: Int = if (goldilocks) NttConfig.radixBits else 0
  val sizeBits: Int = if (goldilocks) 3 else 4
  val leastLog: Int = if (goldilocks) NttConfig.radixBits else 1

  /** Whether the largest sizes take three passes: the first one of all but `restBits` bits, which the other two share. */
  val hasThree: Boolean = mostLog > 2 * passLog
  val restBits: Int = (mostLog - passLog) max 2 * coreBits // maximum
  val lowBits: Int =
    (NttConfig.passBits - laneBits) max (if (hasThree) (restBits + 1) / 2 else 0) // bits of `Place.low`
  require(!hasThree || 2 * passLog + 1 >= 3 * coreBits, s"three passes with columns of 2^$passLog at most")

  /** Base-2 logarithm of the smallest list of `a b - c`: whole beats and cores. */
  val unitLog: Int = laneBits max coreBits

  /** Bits of a beat's number in its transform. */
  val beatBits: Int = mostLog - laneBits

  def residues: Residues = if (goldilocks) new QuadResidues(model) else new LongResidues(field, model)
}

object NttConfig {

  /** Base-2 logarithm of the points of a core. */
  val radixBits = 6

  /** Maximum index bits of a pass: two cores of Goldilocks. */
  val passBits: Int = 2 * radixBits

  /** Bytes of a memory channel's beat, and of a command's data. */
  val beat = 64
  val granule = 1024
}
