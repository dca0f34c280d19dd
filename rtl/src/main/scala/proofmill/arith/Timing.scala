package proofmill.arith

/** Limits of the logic between two registers. A generator adapts to another clock with these. The default is for at least 250
  * MHz in UltraScale+ (docs/rtl/timing.md).
  *
  * @param chain  bits of the longest carry chain
  * @param memory cycles from an address of a large memory, such as that of the buckets, to its content, at least 2: a block
  * memory with its own output register has 2
  * @param copies number of registers, 1 to 4, that share the readers of a signal that selects between wide words
  */
case class Timing(chain: Int = 128, memory: Int = 2, copies: Int = 4) {
  require(chain > 0, s"chain: $chain bits")
  require(memory >= 2, s"memory: $memory cycles, which are 2 at least")
  require(copies >= 1 && copies <= 4, s"copies: $copies is not 1 to 4")
}

object Timing {

  /** A sum of coefficients of a product in base z in one chain. */
  val coefficients: Timing = Timing(chain = 144)

  /** The lowest latency: the sums of 256-bit fields in one chain. */
  val early: Timing = Timing(chain = 330)

  /** Boards at 50 MHz, where wire delay is not critical. */
  val slow: Timing = Timing(copies = 1)
}
