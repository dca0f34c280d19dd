package proofmill.shell

import spinal.core._

/** Sequences the reset of a domain, so that its neighbours have isolated their interfaces before the domain's state changes.
  *
  * {{{
  *   raw    ─┐    ┌────────────────────────       asynchronous, of any length
  *           └────┘  (drawn low: requested)
  *   down   ___/‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾\___      neighbours receive it through their own synchronisers
  *   reset  ________/‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾\___
  *            `lead` cycles   `hold` at least
  * }}}
  * The neighbours' clocks are at most `lead / 4` times slower than this one. Both levels are high at power-up.
  */
class ResetSequencer(clk: Bool, raw: Bool, lead: Int = 16, hold: Int = 32) extends Area {
  private val caught = ResetSynchroniser(clk, raw)
  private val powered = ClockDomain(clk, config = ClockDomainConfig(resetKind = BOOT))
  val sequence = new ClockingArea(powered) {
    val asked = Synchroniser(caught.readResetWire, reset = true)
    val down, reset = RegInit(True)
    val timer = Reg(UInt(log2Up(lead + hold) bits)) init lead
    when(down && timer =/= lead + hold - 1)(timer := timer + 1)
    when(down && timer >= lead - 1)(reset := True)
    when(asked && !down) {
      down := True
      timer := 0
    }
    when(!asked && down && timer === lead + hold - 1) {
      down := False
      reset := False
    }
  }

  /** Level for the neighbours: the domain is in reset, or is about to be. */
  val down: Bool = sequence.down

  /** The clock domain with the sequenced reset. */
  val domain: ClockDomain = ClockDomain(clk, sequence.reset, config = ClockDomainConfig(resetKind = SYNC))
}
