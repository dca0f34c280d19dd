package proofmill.curve

import spinal.core._
import spinal.lib._

/** Values whose components follow each other, in a pipeline with a valid bit for the first one.
  *
  * @param first whether a first component has reached a cycle of the pipeline
  */
class Series(components: Int, val first: Int => Bool) extends Area {

  /** Returns whether a component has reached a cycle. */
  def any(cycle: Int): Bool = (0 until components).map(i => first(cycle + i)).orR

  /** Returns what is valid with the first component, in the cycles of all of them. */
  def steady[T <: Data](value: T): T =
    if (components == 1) value else first(0) ? value | RegNextWhen(value, first(0))

  /** Returns that of the values, one for each component, whose component has reached a cycle. */
  def select[T <: Data](cycle: Int, values: Seq[T]): T = values.reduceRight((value, later) =>
    (if (components == 1) value else first(cycle + 1) ? later | value)
  )

  /** Returns the bits while the first component has reached a cycle, and 0 with the others. */
  def inFirst(cycle: Int, bits: Bits): Bits = if (components == 1) bits else bits.andMask(first(cycle))

  /** The address of a component that has reached a cycle, in a memory with a word for each one. */
  def word(cycle: Int, place: UInt): UInt = if (components == 1) place else (place ## first(cycle + 1)).asUInt
}

object Series {

  /** Returns all components of a value side by side, in the cycle of the last one. */
  def gathered(bits: Bits, components: Int): Bits = Cat((components - 1 to 0 by -1).map(Delay(bits, _)))
}

/** A counter of cycles modulo `interval`. */
class Beats(interval: Int) extends Area {
  private val now = RegInit(B(1, interval bits))
  now := now.rotateLeft(1)

  /** Returns whether so many cycles, and a multiple of `interval`, have passed since a beat. */
  def apply(cycles: Int): Bool = if (interval == 1) True else now(cycles % interval)
}
