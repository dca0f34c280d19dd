package proofmill

import spinal.core._

/** The configuration of all generators of Verilog: synchronous active-high reset, nothing vendor-specific. */
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
    bitVectorWidthMax = 8192 // a row of Poseidon and its constants at the port of a unit
  )
}
