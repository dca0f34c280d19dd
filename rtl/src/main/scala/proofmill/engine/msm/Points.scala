package proofmill.engine.msm

import proofmill.arith.{Timed, Timing}
import proofmill.curve.{AffineLaw, AffinePoint, BatchAdder}
import proofmill.field.{Arithmetic, Bound, Options, Residue}
import proofmill.spec.Curve
import proofmill.stream.Port
import spinal.core._
import spinal.lib._

/** Affine points on `y^2 = x^3 + b`: their formats in memory, in the pipeline and in replies, and the circuit that adds them. The pipeline's format
  * is [[AffinePoint]]; in a reply Z is 0 or 1.
  *
  * @param group 1: coordinates in Fp; 2: in Fp2
  * @param model behavioural multipliers, for simulation only
  * @param slotBits of a [[BatchAdder]]; by default so many that an inversion never waits for slots
  */
class Points(val curve: Curve, group: Int, val model: Boolean = false, slotBits: Option[Int] = None) {
  private val p = curve.baseField.modulus
  private val law = new AffineLaw(curve, Options(model = model), group)
  val arithmetic: Arithmetic = law.arithmetic
  def digits: Int = arithmetic.digits

  /** Components of a coordinate over the prime field. */
  def components: Int = arithmetic.components
  private def empty = AffinePoint(law)

  /** Bits of a point in the pipeline's format. */
  val width: Int = empty.getBitsWidth

  /** The identity, in the pipeline's format: its flag is the lowest bit. */
  val identity: BigInt = 1

  /** Returns the circuit that adds points into buckets. */
  def core(bucketBits: Int, timing: Timing): BatchBucketAdder =
    BatchBucketAdder(law, bucketBits, slotBits.getOrElse(BatchAdder.slotBits(law)), timing)

  /** Cycles that a level of the tail takes beside its additions: two additions of two points alone. Each is two thirds of the longest inversion, seven
    * products with what is between them, and two for the norm in Fp2.
    */
  val latency: Int = 2 * (4 * curve.baseField.bits / 3 + (5 + 2 * components) * arithmetic.mulLatency)

  /** The coordinates of a sum in a reply, by name, with the bounds of the digits of their components. */
  private val bounds: Seq[(String, Bound)] = Seq("X" -> law.x, "Y" -> law.y, "Z" -> arithmetic.product)

  /** Converts a point from the pipeline's format to the coordinates of a reply, the first one in the low bits. */
  def coordinatesOf(point: Bits): Bits = {
    val affine = empty
    affine.assignFromBits(point)
    def constant(value: Int, bound: Bound) = arithmetic.constant(value, bound).resize(components * digits * bound.width)
    val coordinates = Seq(affine.x, affine.y, constant(1, arithmetic.product))
    val identities = Seq(0, 1, 0)
    Cat(coordinates.zip(bounds).zip(identities).map { case ((value, (_, bound)), identity) =>
      affine.isIdentity ? constant(identity, bound) | value
    })
  }

  def coordinates: Int = bounds.size
  private def digitWidths: Seq[Int] = bounds.flatMap { case (_, bound) => Seq.fill(components * digits)(bound.width) }

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
  private val stored: Bound = if (digits == 1) Bound(0, p - 1) else Bound.magnitude(arithmetic.base.abs / 2)

  /** Bytes of a digit in memory. */
  val storedDigit: Int = (stored.width + 7) / 8
  private val storedBits = 8 * storedDigit * digits

  /** Channels of points in memory, each with a slice for each component: one channel for x and y, or one for each. */
  val channels: Int = if (2 * storedBits <= Points.sliceBits) 1 else 2

  /** Slices of a point in memory. */
  def slices: Int = channels * components

  /** Converts a point from memory to the pipeline's format, and negates it if `negative`. Zeros are the identity.
    *
    * @param slices the point, in cycle 0 like `negative`: those of all channels for the first component, then for the next one
    * @return the point and its latency. The clock enable of the calling area stalls all of it.
    */
  def fromMemory(slices: Seq[Bits], negative: Bool): Timed[Bits] = {
    require(slices.map(_.getWidth) == Seq.fill(this.slices)(Points.sliceBits), s"a point is ${this.slices} slices")
    val (xs, ys) = slices.grouped(channels).map(wordsOf(_).map(fromWord)).map { case Seq(x, y) => (x, y) }.toSeq.unzip
    val signedYs = ys.map(signed(_, Timed(negative, 0)))
    val zero = isZero(slices)
    val cycle = ((xs ++ signedYs).map(_.cycle) :+ zero.cycle).max
    val point = empty
    point.isIdentity := zero.at(cycle)
    point.x := Cat(xs.map(_.bits(cycle, law.x)))
    point.y := Cat(signedYs.map(_.bits(cycle, law.y)))
    Timed(point.asBits, cycle)
  }

  /** The coordinates in slices, one component after the other. */
  private def wordsOf(slices: Seq[Bits]): Seq[Bits] =
    slices.flatMap(slice => Seq.tabulate(2 / channels)(i => slice(i * storedBits, storedBits bits)))

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

  /** Returns whether all coordinates of a point in memory are zero. */
  private def isZero(slices: Seq[Bits]): Timed[Bool] = {
    val parts =
      wordsOf(slices).flatMap(_.subdivideIn(Points.together bits, strict = false)).map(part => RegNext(part.orR))
    Timed(RegNext(!Cat(parts).orR), 2)
  }
}

object Points {

  /** Bits of a slice. */
  val sliceBits: Int = 512

  /** Bits that are compared with zero in one cycle. */
  private val together = 32

  /** Bits whose magnitude is compared in one chain. */
  private val compared = 64
}
