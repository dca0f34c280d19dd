package proofmill.engine.coprocessor

import proofmill.pairing.PairingMachine
import proofmill.spec.Spec

/** A coprocessor for BLS12-381.
  *
  * @param model behavioural multipliers: for long simulations
  * @param log2Data log2 of the number of data slots: 8, as published, to 12
  * @param log2Instructions log2 of the number of instruction slots: 8, as published, to 9
  */
case class CoprocessorConfig(
    model: Boolean = false,
    log2Data: Int = CoprocessorConfig.published,
    log2Instructions: Int = CoprocessorConfig.published
) {
  for ((memory, log2) <- Seq("data" -> log2Data, "instructions" -> log2Instructions)) {
    val most = Spec.int(Spec.table("wire/coprocessor").getTable(memory), "log2_most")
    require(log2 >= CoprocessorConfig.published && log2 <= most, s"2^$log2 slots of $memory, not 2^8 to 2^$most")
  }
  lazy val machine = new PairingMachine(model)

  /** Whether there are more slots than on the published card. The host then selects the number of slots of programs. */
  def isLarger: Boolean = log2Data > CoprocessorConfig.published || log2Instructions > CoprocessorConfig.published
}

object CoprocessorConfig {

  /** log2 of the number of slots of either memory, on the published card. */
  val published: Int = Spec.int(Spec.table("wire/coprocessor").getTable("data"), "log2_slots")
}
