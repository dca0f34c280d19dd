package proofmill.arith

import spinal.core._

import scala.collection.mutable.ArrayBuffer

/** A signal of a pipeline that never stops, and the cycle in which its value is there, counted from the pipeline's input.
  *
  * A reader that needs the value later gets it through registers; all readers of a cycle share them. They have no reset.
  */
class Timed[T <: Data](signal: T, val cycle: Int) {
  private val copies = ArrayBuffer(signal)

  /** The value as it is in a later cycle. */
  def at(later: Int): T = {
    require(later >= cycle, s"$signal is there in cycle $cycle, not yet in cycle $later")
    if (isConstant) value
    else {
      while (copies.size <= later - cycle) copies += RegNext(copies.last)
      copies(later - cycle)
    }
  }

  /** The value now. */
  def value: T = copies.head

  private[arith] def isConstant: Boolean = cycle == Timed.always
}

object Timed {
  private val always = Int.MinValue

  def apply[T <: Data](signal: T, cycle: Int): Timed[T] = new Timed(signal, cycle)

  /** A value that is there in every cycle. */
  def constant[T <: Data](signal: T): Timed[T] = new Timed(signal, always)

  /** The first cycle in which all of them are there. */
  def together(values: Timed[_ <: Data]*): Int = values.map(_.cycle).max
}
