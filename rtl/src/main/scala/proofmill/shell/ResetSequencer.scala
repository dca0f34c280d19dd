package proofmill.shell

import spinal.core._

/** Puts a domain into reset so that its neighbours have shut their doors before anything of it changes.
  *
  * {{{
  *   raw    ─┐    ┌────────────────────────       of any timing, however short
  *           └────┘  (drawn low: asked)
  *   down   ___/‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾\___      neighbours see it through synchronisers of their own
  *   reset  ________/‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾\___
  *            `lead` cycles   `hold` at least
  * }}}
  * Neighbours' clocks are at most `lead / 4` times as slow as this one. Both are high at power-up.
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

  /** What neighbours are to see. */
  val down: Bool = sequence.down

  /** The domain. */
  val domain: ClockDomain = ClockDomain(clk, sequence.reset, config = ClockDomainConfig(resetKind = SYNC))
}
