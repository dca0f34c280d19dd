package proofmill.engine

/** The layout of engines' data in the card's memory: addresses are multiples of `bytes`, the unit of writes. */
object Granule {
  val bytes = 1024

  /** Bytes of a beat. */
  val beat: Int = Engine.memoryBits / 8

  /** Beats of a burst, which is a granule. */
  val beats: Int = bytes / beat
}
