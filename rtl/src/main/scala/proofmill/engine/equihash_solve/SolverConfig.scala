package proofmill.engine.equihash_solve

import proofmill.arith.Timing
import proofmill.engine.Granule
import proofmill.spec.Equihash
import spinal.core._

/** The numbers of a solver.
  *
  * Wagner's algorithm as of Biryukov and Khovratovich, "Equihash", NDSS 2016. Round r reads table r, in which strings are in
  * the bucket that the first `bucketBits` bits of their collision group r choose, and writes table r + 1. All tables remain in
  * the memory, so that the leaves of a candidate can be read.
  *
  * @param instance   parameter set, by its name in `spec/hashes`
  * @param bucketBits a table has 2^bucketBits buckets
  * @param memoryBits the memory channel has 2^memoryBits bytes
  * @param kept       candidates of a header that there is space for, a power of two
  * @param deviations standard deviations above the average that a bucket has space for
  * @param beats      beats of a burst that writes entries, a power of two from 2 up to a granule's: a bucket has so many on chip
  * @param passes     passes of a leaf's hash, as of [[proofmill.hash.LeafHashRing]]
  */
case class SolverConfig(
    instance: String,
    bucketBits: Int,
    memoryBits: Int = 34,
    kept: Int = 64,
    deviations: Int = 5,
    beats: Int = Granule.beats,
    passes: Int = 4,
    timing: Timing = Timing()
) {
  val params: Equihash = Equihash(instance)
  val buckets: Int = 1 << bucketBits
  val rounds: Int = params.k

  /** Bits of a leaf's index. */
  val leafBits: Int = params.indexBits

  /** Bits of a collision group that are compared in a bucket. */
  val keyBits: Int = params.collisionBits - bucketBits
  require(keyBits > 0, s"bucketBits: $bucketBits of ${params.collisionBits}")

  /** Strings that a bucket has space for, whole granules: the average and `deviations` standard deviations, like
    * `host/algebra/src/equihash/solver/plan.rs`. The deviation of the number of strings doubles from round to round, and each
    * round adds its own.
    */
  val capacity: Int = {
    val leaves = math.pow(2, params.collisionBits + 1)
    val whole = math.sqrt((math.pow(4, rounds - 1) - 1) / (3 * leaves))
    val mean = leaves / buckets * (1 + deviations * whole)
    val most = mean + deviations * math.sqrt(mean * (1 + 4.0 / buckets))
    val ofGranule = SolverConfig.ofBeat * Granule.beats
    math.ceil(most / ofGranule).toInt * ofGranule
  }

  /** Entries of a burst, and bursts of a bucket. */
  val ofBurst: Int = SolverConfig.ofBeat * beats
  val bursts: Int = capacity / ofBurst
  require(isPow2(kept), s"kept: $kept is not a power of two")
  require(timing.memory <= 6 && timing.memory < 2 * beats, s"timing: a memory latency of ${timing.memory} cycles")
  require(bursts > 1, s"bucketBits: $bucketBits, a bucket has a single burst")
  require(
    isPow2(beats) && beats > 1 && beats <= Granule.beats,
    s"beats: $beats is not a power of two from 2 to ${Granule.beats}"
  )

  /** Bits of a position in a bucket, and of a number of strings in it. */
  val positionBits: Int = log2Up(capacity)
  val countBits: Int = log2Up(capacity + 1)

  /** Bits of a round's number, and of that of a table. */
  val roundBits: Int = log2Up(rounds + 1)

  /** Bytes of memory in use. */
  val bytes: BigInt = BigInt(rounds) * buckets * capacity * SolverConfig.entryBits / 8
  require(bytes <= (BigInt(1) << memoryBits), s"memoryBits: $memoryBits, the tables have $bytes bytes")

  /** Bits of a reference: a leaf's index, or a bucket and two positions in it. */
  val referenceBits: Int = leafBits max (bucketBits + 2 * positionBits)
  require(params.n + referenceBits <= SolverConfig.entryBits, s"${params.name}: entries of too many bits")
}

object SolverConfig {

  /** Bits of an entry of a table in memory. */
  val entryBits: Int = 256

  /** Entries of a beat. */
  val ofBeat: Int = 8 * Granule.beat / entryBits
}
