package proofmill.engine.msm

import proofmill.stream.StreamUnit

/** The interface of a group to [[BucketAdder]]. */
trait AdditiveGroup {

  /** Bits of an element. */
  def width: Int

  /** The identity, as an element's bits. */
  def identity: BigInt

  /** A unit that accepts two elements per cycle, the first one in the low bits, and returns their sum `latency` cycles later. */
  def adder(): StreamUnit
  def latency: Int
}
