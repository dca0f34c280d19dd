package proofmill.engine.ntt

/** @param lanes      elements a cycle: 8, 16, 32 or 64; a memory channel has eight of them
  * @param mostLog    base-2 logarithm of the largest size, at most 24: two passes of 2^12
  * @param memoryBits a memory channel has 2^memoryBits bytes
  * @param twin       behavioural multipliers, for simulation only
  */
case class NttConfig(lanes: Int = 8, mostLog: Int = 24, memoryBits: Int = 30, twin: Boolean = false) {
  require(Seq(8, 16, 32, 64).contains(lanes), s"$lanes lanes")
  require(12 <= mostLog && mostLog <= 24, s"2^$mostLog elements")
  val laneBits: Int = Integer.numberOfTrailingZeros(lanes)
  val channels: Int = lanes / NttConfig.perBeat

  /** Bits of the number of a beat of a transform. */
  val beatBits: Int = mostLog - laneBits
}

object NttConfig {

  /** Points of a core, and their logarithm. */
  val radixBits = 6

  /** Most index bits of a pass: two cores. */
  val passBits: Int = 2 * radixBits

  /** The least size. */
  val leastLog: Int = radixBits

  /** Elements of a memory channel's beat, and its bytes; bytes of a command's data. */
  val perBeat = 8
  val beat = 64
  val granule = 1024
}
