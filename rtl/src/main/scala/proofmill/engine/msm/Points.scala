package proofmill.engine.msm

import proofmill.arith.{Timed, Timing}
import proofmill.field.{Arithmetic, Bound, Residue}
import proofmill.spec.Curve
import proofmill.stream.Port
import spinal.core._
import spinal.lib._

/** The properties that depend on the curve: the formats of points in memory, in the pipeline and in replies.
  *
  * @param model behavioural multipliers, for simulation only
  */
abstract class Points(val curve: Curve, val model: Boolean) {
  protected def edwards: Boolean = false
  private val p = curve.baseField.modulus
  val arithmetic: Arithmetic
  def digits: Int = arithmetic.digits

  /** Components of a coordinate over the prime field. */
  def components: Int = arithmetic.components

  /** Bits of a point in the pipeline's format. */
  def width: Int

  /** The identity, in the pipeline's format. */
  def identity: BigInt

  /** The circuit that adds points into buckets. */
  def core(bucketBits: Int, timing: Timing): BucketCore

  /** Cycles from two points to their sum in its bucket; where they vary, those that a level of the tail takes beside its
    * additions.
    */
  def latency(timing: Timing): Int

  /** The coordinates of a sum in a reply, by name, with the bounds of the digits of their components: X, Y, Z on `y^2 = x^3 + b` and X, Y, Z, T in Edwards form. */
  protected def bounds: Seq[(String, Bound)]

  /** Converts a point from the pipeline's format to the coordinates of a reply, the first one in the low bits. */
  def coordinatesOf(point: Bits): Bits

  /** Converts a point from memory to the pipeline's format, and negates it if `negative`. Zeros on `y^2 = x^3 + b` are the identity.
    *
    * @param slices the point, in cycle 0 like `negative`: those of all channels for the first component, then for the next one
    * @return the point and its latency. The clock enable of the calling area stalls all of it.
    */
  def fromMemory(slices: Seq[Bits], negative: Bool): Timed[Bits]

  def coordinates: Int = bounds.size
  protected def digitWidths: Seq[Int] = bounds.flatMap { case (_, bound) => Seq.fill(components * digits)(bound.width) }

  /** Bytes of a sum in a reply. */
  def sumBytes: Int = digitWidths.size * digitBytes

  /** Bytes that hold any digit of a sum. */
  def digitBytes: Int = (digitWidths.max + 7) / 8

  /** Returns the digits of a point in the pipeline's format, the lowest one of the first coordinate's first component first. */
  def digitsOf(point: Bits): Seq[SInt] = {
    val all = coordinatesOf(point)
    digitWidths.zip(digitWidths.scanLeft(0)(_ + _)).map { case (width, low) => all(low, width bits).asSInt }
  }

  /** The ports of a unit that has a sum's coordinates. */
  def ports: Seq[Port] = bounds.flatMap { case (name, bound) =>
    arithmetic.componentNames(name).map(arithmetic.port(_, bound))
  }

  /** The bound of a digit in memory: that of the residue of least magnitude; a single digit is from 0 to p - 1. */
  private lazy val stored: Bound = if (digits == 1) Bound(0, p - 1) else Bound.magnitude(arithmetic.base.abs / 2)

  /** Bytes of a digit in memory. */
  lazy val storedDigit: Int = (stored.width + 7) / 8
  private def storedBits = 8 * storedDigit * digits
  private val inMemory = if (edwards) Seq("X", "Y", "T") else Seq("X", "Y")
  private lazy val inSlice = if (inMemory.size * storedBits <= Points.sliceBits) inMemory.size else 1

  /** Channels of points in memory, each with a slice for each component: one channel for all coordinates, or one per coordinate. */
  lazy val channels: Int = inMemory.size / inSlice

  /** Slices of a point in memory. */
  def slices: Int = channels * components

  /** The slices of each component, one of each channel. */
  protected def ofComponents(slices: Seq[Bits]): Seq[Seq[Bits]] = slices.grouped(channels).toSeq

  /** A component of the coordinates of a point in memory, by the coordinates' names. */
  protected def fromSlices(slices: Seq[Bits], negative: Bool): Map[String, Residue] = {
    require(slices.map(_.getWidth) == Seq.fill(channels)(Points.sliceBits), s"a component is $channels slices")
    val words = wordsOf(slices)
    inMemory.zip(words.map(fromWord)).map { case (name, value) =>
      val changes = name == (if (edwards) "X" else "Y") || name == "T"
      name -> (if (changes) signed(value, Timed(negative, 0)) else value)
    }.toMap
  }

  private def wordsOf(slices: Seq[Bits]): Seq[Bits] =
    slices.flatMap(slice => Seq.tabulate(inSlice)(i => slice(i * storedBits, storedBits bits)))

  /** Returns whether a digit of a point from memory is outside the bounds of stored digits, so that sums could exceed theirs.
    *
    * @param slices the point, in cycle 0
    */
  def isBeyond(slices: Seq[Bits]): Timed[Bool] = {
    val found = wordsOf(slices).flatMap(_.subdivideIn(digits slices)).map { digit =>
      val negative = digit.msb
      val magnitude = Mux(negative, ~digit, digit).asUInt // of a negative digit: the magnitude less 1
      val chunks = magnitude.subdivideIn(Points.compared bits, strict = false).zipWithIndex.map { case (chunk, i) =>
        val most = U((stored.high >> Points.compared * i).mod(BigInt(1) << chunk.getWidth), chunk.getWidth bits)
        (RegNext(chunk > most), RegNext(chunk === most))
      }
      val above = chunks.foldLeft(False) { case (lower, (more, same)) => more || same && lower }
      val less = if (stored.low == 0) True else chunks.map(_._2).andR
      RegNext(above || RegNext(negative) && less)
    }
    Timed(RegNext(found.orR), 3)
  }

  private def fromWord(word: Bits): Residue = new Residue(
    word.subdivideIn(digits slices).map(digit => Timed(digit.asSInt.resize(stored.width), 0)).toSeq,
    stored
  )

  /** Returns the value, or its negative; registered. */
  private def signed(value: Residue, negative: Timed[Bool]): Residue = {
    val opposite = if (digits == 1) arithmetic.sub(modulus, value) else arithmetic.neg(value)
    val cycle = opposite.cycle
    val bound = Bound(stored.low.min(opposite.bound.low), stored.high.max(opposite.bound.high))
    val chosen = value.digits.zip(opposite.digits).map { case (own, other) =>
      RegNext(Mux(negative.at(cycle), other.value.resize(bound.width), own.at(cycle).resize(bound.width)))
    }
    new Residue(chosen.map(Timed(_, cycle + 1)), bound)
  }

  private def modulus: Residue = new Residue(Seq(Timed(S(p, p.bitLength + 1 bits), 0)), Bound(p, p))

  /** Whether all coordinates of a point in memory are zero. */
  protected def isZero(slices: Seq[Bits]): Timed[Bool] = {
    val parts =
      wordsOf(slices).flatMap(_.subdivideIn(Points.together bits, strict = false)).map(part => RegNext(part.orR))
    Timed(RegNext(!Cat(parts).orR), 2)
  }
}

object Points {

  /** Affine points on `y^2 = x^3 + b`, and extended ones in Edwards form.
    *
    * @param group 1: G1; 2: G2, over Fp2
    * @param slotBits of a [[proofmill.curve.BatchAdder]]; by default so many that an inversion never waits for slots
    */
  def apply(curve: Curve, group: Int, model: Boolean = false, slotBits: Option[Int] = None): Points =
    if (group == 1 && curve.edwards.isDefined) new EdwardsPoints(curve, model)
    else new AffinePoints(curve, group, model, slotBits.getOrElse(if (group == 1) 12 else 11))

  /** Bits of a slice. */
  val sliceBits: Int = 512

  /** Bits that are compared with zero in one cycle. */
  private val together = 32

  /** Bits whose magnitude is compared in one chain. */
  private val compared = 64
}
