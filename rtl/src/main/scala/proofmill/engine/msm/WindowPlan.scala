package proofmill.engine.msm

import spinal.core._

/** Splits scalars into windows of c bits, and assigns the windows to adders and passes over the points.
  *
  * DigitRecoder are signed: with K = sum over w < W of 2^(c w + c - 1), digit w of k is ((k + K) >> c w mod 2^c) - 2^(c-1), from
  * -2^(c-1) to 2^(c-1) - 1; W is least with r - 1 + K < 2^(c W), so the highest window has no carry. A
  * window has a bucket for each magnitude, 2^(c-1) of them, so an adder holds `2^(bucketBits - c + 1)` windows at a time.
  *
  * Passes go from the highest windows down. In pass p, adder s has the windows (p S + s) g + i for i < g = `group`; those
  * from W on have no digits.
  *
  * @param r order of the scalars
  */
case class WindowPlan(r: BigInt, adders: Int, bucketBits: Int) {
  val least = 2
  val most: Int = bucketBits + 1
  require(most >= least && most <= 16, s"windows of $most bits")

  /** K for a number of windows. */
  private def offset(c: Int, windows: Int): BigInt = (0 until windows).map(w => BigInt(1) << (c * w + c - 1)).sum

  def windows(c: Int): Int = Iterator.from(1).find(w => r - 1 + offset(c, w) < (BigInt(1) << (c * w))).get
  def offset(c: Int): BigInt = offset(c, windows(c))
  def passes(c: Int): Int = ceiling(windows(c), adders << (bucketBits - c + 1))
  def group(c: Int): Int = ceiling(windows(c), adders * passes(c))

  /** Bits of k + K. */
  def bits(c: Int): Int = c * windows(c)

  /** Bits between the windows of consecutive passes. */
  def stride(c: Int): Int = adders * group(c) * c

  /** The lowest bit of an adder's windows in the first pass. */
  def start(c: Int, adder: Int): Int = ((passes(c) - 1) * adders + adder) * group(c) * c

  /** Doublings after a pass's windows: down to the next pass's; after the last pass, down to bit 0. */
  def after(c: Int): Int = c * (adders - 1) * group(c)
  def afterLast(c: Int, adder: Int): Int = c * adder * group(c)

  /** The largest value for any window size. */
  def largest(fact: Int => Int): Int = (least to most).map(fact).max

  /** A table of a value by the bits of a window. */
  def table(windowBits: UInt, fact: Int => BigInt): UInt = {
    val facts = (0 to most).map(c => if (c < least) BigInt(0) else fact(c))
    Vec(facts.map(U(_, facts.map(_.bitLength).max.max(1) bits)))(windowBits.resize(log2Up(most + 1)))
  }

  private def ceiling(a: Int, b: Int) = (a + b - 1) / b
}
