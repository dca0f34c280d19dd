package proofmill.engine

/** How engines lay out what is in the card's memory: addresses are multiples of `bytes`, and so much is written at once. */
object Granule {
  val bytes = 1024

  /** Bytes of a beat. */
  val beat: Int = Engine.memoryBits / 8

  /** Beats of a burst, which is a granule. */
  val beats: Int = bytes / beat
}
