package proofmill.engine.msm

import proofmill.arith.Timing

/** @param curve      name in `spec/curves`
  * @param group      1: G1; 2: G2
  * @param adders     number of point adders, each with its own buckets and windows
  * @param mostWindow most bits of a window: an adder has 2^(mostWindow - 1) buckets
  * @param memoryBits a memory channel has 2^memoryBits bytes
  * @param model       behavioural multipliers, for simulation only
  * @param timing     its `memory` is the latency of a bucket's memory
  */
case class MsmConfig(
    curve: String,
    group: Int = 1,
    adders: Int = 1,
    mostWindow: Int = 16,
    memoryBits: Int = 34,
    model: Boolean = false,
    timing: Timing = Timing()
) {
  val bucketBits: Int = mostWindow - 1

  /** The name of the group. */
  def instance: String = curve + (if (group == 1) "" else s"_g$group")
}

object MsmConfig {

  /** Runs that can be queued in addition to the current one. */
  val runs = 8

  /** Bytes of a scalar. */
  val scalar = 32
}
