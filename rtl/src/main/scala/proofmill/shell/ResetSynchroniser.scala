package proofmill.shell

import spinal.core._

/** A clock with a reset that begins asynchronously and ends synchronously.
  *
  * `raw` is active high and asynchronous. It sets four registers, which release one after the other (`ASYNC_REG`), so
  * metastability caused by an edge of `raw` near a clock edge is resolved before the domain leaves its reset.
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
