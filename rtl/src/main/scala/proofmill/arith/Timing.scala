package proofmill.arith

/** How much happens between two registers: what a generator does otherwise for another clock. The default is for 250 MHz and more in
  * UltraScale+ (docs/rtl/timing.md).
  *
  * @param chain  bits of the longest carry chain
  * @param memory cycles from an address of the buckets to their point, 2 at least: a block memory with its own output register has 2
  * @param copies registers, 1 to 4, that share the readers of a signal that chooses between wide words
  */
case class Timing(chain: Int = 128, memory: Int = 2, copies: Int = 4) {
  require(chain > 0, s"chain: $chain bits")
  require(memory >= 2, s"memory: $memory cycles, which are 2 at least")
  require(copies >= 1 && copies <= 4, s"copies: $copies is not 1 to 4")
}

object Timing {

  /** A coefficient of a product in base z is added in one chain. */
  val coefficients: Timing = Timing(chain = 144)

  /** The fewest cycles: the sums of 256-bit fields in one chain. */
  val early: Timing = Timing(chain = 330)

  /** Boards at 50 MHz, where every wire is short enough. */
  val slow: Timing = Timing(copies = 1)
}
