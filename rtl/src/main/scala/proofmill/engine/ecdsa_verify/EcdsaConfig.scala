package proofmill.engine.ecdsa_verify

/** @param cores    multipliers, each with contexts and a unit for scalars of its own
  * @param contexts signatures under way at once in a core, a power of two
  * @param window   of the non-adjacent form of u2's halves
  * @param twin     behavioural multipliers: for simulation only, cycle for cycle the same
  */
case class EcdsaConfig(cores: Int = 1, contexts: Int = 16, window: Int = 5, twin: Boolean = false) {
  require(cores >= 1, s"$cores cores")
}
