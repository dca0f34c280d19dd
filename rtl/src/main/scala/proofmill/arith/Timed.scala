package proofmill.arith

import spinal.core._

import scala.collection.mutable.ArrayBuffer

/** A signal of a pipeline that never stalls, and the cycle in which it is valid, counted from the input of the pipeline.
  *
  * A reader in a later cycle gets the value through registers without reset. All readers of the same cycle share them.
  */
class Timed[T <: Data](signal: T, val cycle: Int) {
  private val copies = ArrayBuffer(signal)

  /** Returns the value delayed to the cycle `later`. */
  def at(later: Int): T = {
    require(later >= cycle, s"$signal is there in cycle $cycle, not yet in cycle $later")
    if (isConstant) value
    else {
      while (copies.size <= later - cycle) copies += RegNext(copies.last)
      copies(later - cycle)
    }
  }

  /** The value in its own cycle. */
  def value: T = copies.head

  private[arith] def isConstant: Boolean = cycle == Timed.always
}

object Timed {
  private val always = Int.MinValue

  def apply[T <: Data](signal: T, cycle: Int): Timed[T] = new Timed(signal, cycle)

  /** A value that is valid in every cycle. */
  def constant[T <: Data](signal: T): Timed[T] = new Timed(signal, always)

  /** Returns the first cycle in which all values are available. */
  def together(values: Timed[_ <: Data]*): Int = values.map(_.cycle).max
}
