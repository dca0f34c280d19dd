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
    while (copies.size <= later - cycle) copies += RegNext(copies.last)
    copies(later - cycle)
  }

  /** The value now. */
  def value: T = copies.head
}

object Timed {
  def apply[T <: Data](signal: T, cycle: Int): Timed[T] = new Timed(signal, cycle)

  /** The first cycle in which all of them are there. */
  def together(values: Timed[_ <: Data]*): Int = values.map(_.cycle).max
}
