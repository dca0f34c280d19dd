package proofmill.shell

import spinal.core._

/** A clock with a reset that begins at once, without the clock, and ends with it.
  *
  * `raw` is high and of any timing. Four registers are set by it and let go one after the other (`ASYNC_REG`), so whatever `raw` does near
  * a clock's edge has settled before the domain leaves its reset.
  */
object ResetSynchroniser {
  def apply(clk: Bool, raw: Bool): ClockDomain = {
    val chain = new ClockingArea(ClockDomain(clk, raw, config = ClockDomainConfig(resetKind = ASYNC))) {
      val chain = RegInit(B"1111")
      chain.addAttribute("ASYNC_REG", "TRUE")
      chain := chain |<< 1
      val inReset = chain.msb
    }
    ClockDomain(clk, chain.inReset, config = ClockDomainConfig(resetKind = SYNC))
  }
}
