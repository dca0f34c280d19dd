package proofmill.engine.coprocessor

import proofmill.pairing.PairingMachine

/** A coprocessor for BLS12-381.
  *
  * @param twin behavioural multipliers: for long simulations
  * @param log2Data log2 of the number of data slots: 8, which fill their part of the window
  * @param log2Instructions log2 of the number of instruction slots; 9 at most
  */
case class CoprocessorConfig(twin: Boolean = false, log2Data: Int = 8, log2Instructions: Int = 8) {
  require(log2Data == 8, s"log2Data $log2Data: 8")
  require(log2Instructions >= 1 && log2Instructions <= 9, s"log2Instructions $log2Instructions: 1 to 9")
  lazy val machine = new PairingMachine(twin)
}
