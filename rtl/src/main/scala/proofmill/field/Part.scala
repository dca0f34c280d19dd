package proofmill.field

import proofmill.arith._
import spinal.core._

/** The properties of an integer before hardware exists: its interval, and the cycle in which it is valid. */
case class Ready(bound: Bound, cycle: Int)

/** A signed integer in a pipeline and its interval. */
case class Number(value: Timed[SInt], bound: Bound) {
  def ready: Ready = Ready(bound, value.cycle)

  /** As many bits as the bound needs, in the number's own cycle. */
  def bits: Bits = value.value.resize(bound.width).asBits
}

/** A function of one integer in a reduction, as an interval, as hardware and as C++. */
trait Part {
  def plan(x: Ready): Ready
  def build(x: Number): Number

  /** Returns the name of a C++ variable that holds the part of the variable `x`. */
  def model(x: String, bound: Bound, cpp: ModelText): String
}

/** Bits `from` to `until - 1` as an unsigned integer; without `until`, all bits from `from` on, signed: floor(x / 2^from). */
case class Slice(from: Int, until: Option[Int]) extends Part {
  def plan(x: Ready): Ready = x.copy(bound = until match {
    case Some(end) => Bound.unsigned(end - from)
    case None      => Bound(x.bound.low >> from, x.bound.high >> from)
  })

  def build(x: Number): Number = {
    val Ready(bound, cycle) = plan(x.ready)
    val taken = until match {
      case Some(end) => (False ## x.value.value.resize(x.bound.width.max(end)).asBits(end - 1 downto from)).asSInt
      case None      => (x.value.value.resize(x.bound.width) >> from).resize(bound.width)
    }
    Number(Timed(taken, cycle), bound)
  }

  def model(x: String, bound: Bound, cpp: ModelText): String = {
    val shifted = if (from == 0) x else s"($x >> $from)"
    cpp.let(until.fold(shifted)(end => s"$shifted.low(${end - from})"))
  }

}

object Slice {

  /** The number itself. */
  val whole: Slice = Slice(0, None)
  def apply(from: Int, until: Int): Slice = Slice(from, Some(until))
}

/** 1 if any of the lowest `bits` bits is set, else 0. */
case class NotZero(bits: Int) extends Part {
  def plan(x: Ready): Ready = Ready(Bound(0, 1), x.cycle + 1)
  def build(x: Number): Number = {
    val some = x.value.value.resize(x.bound.width.max(bits)).asBits(bits - 1 downto 0).orR
    Number(Timed(RegNext((False ## some).asSInt), x.value.cycle + 1), Bound(0, 1))
  }
  def model(x: String, bound: Bound, cpp: ModelText): String = {
    cpp.let(s"Number($x.low($bits) == Number() ? 0 : 1)")
  }
}

/** `constant` times x. */
case class Times(constant: BigInt, price: Price) extends Part {
  private def plan(x: Bound): Plan = Plan.best(x, Bound(constant, constant), price)
  def plan(x: Ready): Ready = Ready(x.bound * constant, x.cycle + plan(x.bound).latency)
  def build(x: Number): Number = {
    val factor = Timed(S(constant, Bound(constant, constant).width bits), x.value.cycle)
    Number(Multiplier(plan(x.bound), x.value, factor), x.bound * constant)
  }
  def model(x: String, bound: Bound, cpp: ModelText): String = cpp.let(cpp.times(x, constant))
}

/** The composition of two parts. */
case class Then(first: Part, second: Part) extends Part {
  def plan(x: Ready): Ready = second.plan(first.plan(x))
  def build(x: Number): Number = second.build(first.build(x))
  def model(x: String, bound: Bound, cpp: ModelText): String =
    second.model(first.model(x, bound, cpp), first.plan(Ready(bound, 0)).bound, cpp)
}
