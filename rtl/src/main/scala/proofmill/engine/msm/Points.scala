package proofmill.engine.msm

import proofmill.arith.Timed
import proofmill.curve.{FormulaPipeline, PointAdder, PipelineSchedule, Terms}
import proofmill.field.{Arithmetic, Bound, Options, Residue}
import proofmill.spec.Curve
import proofmill.stream.Port
import spinal.core._
import spinal.lib._

/** The properties that depend on the curve: the formats of points in memory and in the pipeline, and the adder.
  *
  * The pipeline's format is the concatenation of the coordinates, the first one in the low bits, as the adder returns them:
  * X, Y, Z on `y^2 = x^3 + b` and X, Y, Z, T in Edwards form. A sum is therefore an operand of either side.
  *
  * @param model behavioural multipliers, for simulation only
  */
class Points(val curve: Curve, val model: Boolean = false) extends AdditiveGroup {
  private val edwards = curve.edwards.isDefined
  private val p = curve.baseField.modulus
  val arithmetic: Arithmetic = Arithmetic(curve.baseField, Options(model = model))
  private val law = if (edwards) PointAdder.edwardsGeneral(curve) else PointAdder.general(curve)
  private val schedule: PipelineSchedule = law.schedule(Terms(arithmetic))

  def adder(): FormulaPipeline = new FormulaPipeline(schedule, arithmetic)
  val latency: Int = schedule.latency

  /** The coordinates of a point by name, with the bounds of their digits, which hold for operands and sums. */
  private val bounds: Seq[(String, Bound)] = schedule.dataflow.outputs.map { case (name, value) =>
    val sum = schedule.dataflow.bound(value)
    val Seq(left, right) = Seq("1", "2").map(n => schedule.dataflow.inputs(name.take(1) + n))
    require(
      left == right && sum.within(left) && sum.width == left.width,
      s"${curve.name}: $name is $sum, operands are $left and $right"
    )
    name.take(1) -> left
  }
  val coordinates: Int = bounds.size
  val digits: Int = arithmetic.digits
  private val digitWidths: Seq[Int] = bounds.flatMap { case (_, bound) => Seq.fill(digits)(bound.width) }

  /** Bits of a point in the pipeline's format. */
  val width: Int = digitWidths.sum

  /** Bytes that hold any digit of a sum. */
  val digitBytes: Int = (digitWidths.max + 7) / 8

  /** Returns the digits of a point in the pipeline's format, the first coordinate's lowest digit first. */
  def digitsOf(point: Bits): Seq[SInt] =
    digitWidths.zip(digitWidths.scanLeft(0)(_ + _)).map { case (width, low) => point(low, width bits).asSInt }

  /** The ports of a unit that has a point's coordinates. */
  def ports: Seq[Port] = bounds.map { case (name, bound) => arithmetic.port(name, bound) }

  /** The identity, in the pipeline's format. */
  val identity: BigInt = {
    val values = bounds.map { case (name, _) => if (name == "Y" || edwards && name == "Z") 1 else 0 }
    digitWidths.zip(values.flatMap(arithmetic.encode(_))).foldRight(BigInt(0)) { case ((width, digit), higher) =>
      (higher << width) + digit.mod(BigInt(1) << width)
    }
  }

  /** The bound of a digit in memory: that of the residue of least magnitude; a single digit is from 0 to p - 1. */
  private val stored: Bound = if (digits == 1) Bound(0, p - 1) else Bound.magnitude(arithmetic.base.abs / 2)

  /** Bytes of a digit in memory. */
  val storedDigit: Int = (stored.width + 7) / 8
  private val storedBits = 8 * storedDigit * digits
  private val inMemory = if (edwards) Seq("X", "Y", "T") else Seq("X", "Y")
  private val inSlice = if (inMemory.size * storedBits <= Points.sliceBits) inMemory.size else 1

  /** Slices of a point in memory, each in its own channel: one with all coordinates, or one per coordinate. */
  val slices: Int = inMemory.size / inSlice

  /** Converts a point from memory to the pipeline's format, with Z = 1, and negates it if `negative`. Zeros on `y^2 = x^3 + b` are the identity.
    *
    * @param slices the point, in cycle 0 like `negative`
    * @return the point and its latency. The clock enable of the calling area stalls all of it.
    */
  def fromMemory(slices: Seq[Bits], negative: Bool): Timed[Bits] = {
    require(slices.map(_.getWidth) == Seq.fill(this.slices)(Points.sliceBits), s"a point is ${this.slices} slices")
    val words = wordsOf(slices)
    val affine = inMemory.zip(words.map(fromWord)).map { case (name, value) =>
      val changes = name == (if (edwards) "X" else "Y") || name == "T"
      name -> (if (changes) signed(value, Timed(negative, 0)) else value)
    }.toMap
    val zero = isZero(words)
    val cycle = (affine.values.map(_.cycle) ++ Seq(zero.cycle)).max
    val point = Cat(bounds.map { case (name, bound) =>
      affine.get(name).fold(one(bound))(_.bits(cycle, bound))
    })
    Timed(if (edwards) point else Mux(zero.at(cycle), B(identity, width bits), point), cycle)
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

  private def one(bound: Bound): Bits = Cat(arithmetic.encode(1).map(digit => B(S(digit, bound.width bits))))

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

  private def isZero(words: Seq[Bits]): Timed[Bool] = {
    val parts = words.flatMap(_.subdivideIn(Points.together bits, strict = false)).map(part => RegNext(part.orR))
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
