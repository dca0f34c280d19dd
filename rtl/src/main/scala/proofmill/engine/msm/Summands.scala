package proofmill.engine.msm

import proofmill.stream.StreamUnit

/** All that a core knows of what it adds: words with a sum that does not depend on the order. */
trait Summands {

  /** Bits of one that travels. */
  def width: Int

  /** The one that changes nothing, as it travels. */
  def identity: BigInt

  /** A unit that takes two, the first one lowest, in every cycle, and gives their sum `latency` cycles later. */
  def adder(): StreamUnit
  def latency: Int
}
