package proofmill.engine.msm

import proofmill.arith.Timing

/** @param curve      name in `spec/curves`; the group is G1
  * @param adders     point adders, each with buckets and windows of its own
  * @param mostWindow most bits of a window: an adder has 2^(mostWindow - 1) buckets
  * @param memoryBits a memory channel has 2^memoryBits bytes
  * @param twin       behavioural multipliers, for simulation only
  * @param timing     of it the cycles that a bucket's memory takes
  */
case class MsmConfig(
    curve: String,
    adders: Int = 1,
    mostWindow: Int = 16,
    memoryBits: Int = 34,
    twin: Boolean = false,
    timing: Timing = Timing()
) {
  val bucketBits: Int = mostWindow - 1
}

object MsmConfig {

  /** Runs that wait while one is under way. */
  val runs = 8

  /** Bytes of a scalar. */
  val scalar = 32
}
