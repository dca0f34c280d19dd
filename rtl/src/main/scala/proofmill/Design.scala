package proofmill

import spinal.core._

/** The one way to turn hardware into Verilog: synchronous active-high reset, nothing vendor-specific. */
object Design {
  def config(folder: String): SpinalConfig = SpinalConfig(
    mode = Verilog,
    targetDirectory = folder,
    defaultConfigForClockDomains = ClockDomainConfig(resetKind = SYNC),
    oneFilePerComponent = false,
    withTimescale = false,
    headerWithDate = false,
    headerWithRepoHash = false,
    inlineRom = true,
    bitVectorWidthMax = 8192 // a row of Poseidon and its constants at the door of a unit
  )
}
