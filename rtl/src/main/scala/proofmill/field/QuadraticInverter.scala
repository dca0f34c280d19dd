package proofmill.field

import proofmill.stream.{Port, StreamUnit}
import spinal.core._
import spinal.lib._

/** A sequential inverter of elements of Fp2 = Fp(u) other than 0 by the norm: with the conjugate c = a0 - a1 u, a c is in Fp,
  * and 1 / a = c / (a c). The two products are made by a multiplier of Fp2 outside. One element at a time, both components
  * side by side; the result is arbitrary for 0.
  *
  *   1. Idle: accepts a.
  *   2. Conjugate: waits until c is registered.
  *   3. Norm: requests a c.
  *   4. Invert: its product goes to the inverter of Fp.
  *   5. Quotient: requests c times the inverse.
  *   6. Done: waits for the product, and until it is accepted.
  *
  * @param multiply cycles from the acceptance of factors to their product
  */
class QuadraticInverter(arithmetic: Arithmetic, multiply: Int) extends StreamUnit {
  import arithmetic.{addLatency, componentNames, digits, field, port, product}
  require(
    QuadraticInverter.factor(arithmetic).width == product.width,
    s"${field.name}: the negative of a product within $product is longer"
  )
  def operands: Seq[Port] = componentNames("a").map(port(_, product))
  def results: Seq[Port] = componentNames("inverse").map(port(_, product))
  def latency: Option[Int] = None

  private val width = digits * product.width
  val factors = master(Stream(Vec(Bits(2 * width bits), 2))) // digits within `QuadraticInverter.factor`
  val result = in(Bits(2 * width bits)) // the product of the factors

  private object State extends SpinalEnum {
    val Idle, Conjugate, Norm, Invert, Quotient, Done = newElement()
  }
  private val state = RegInit(State.Idle)
  private val value, conjugate = Reg(Bits(2 * width bits))
  private val negative = arithmetic.neg(Residue(value.takeHigh(width), digits, product, 0))
  conjugate := negative.bits(addLatency, QuadraticInverter.factor(arithmetic)) ## value.takeLow(width)
  private val isNegated = Delay(io.in.fire, addLatency + 1, init = False)
  private val returns = Delay(factors.fire, multiply, init = False)
  private val inverter = new FieldInverter(arithmetic)
  private val inverse = RegNextWhen(inverter.io.out.payload, inverter.io.out.fire)
  private val answer = RegNextWhen(result, returns)

  io.in.ready := state === State.Idle
  factors.valid := state === State.Norm || state === State.Quotient
  factors.payload(0) := conjugate
  factors.payload(1) := (state === State.Norm) ? value | inverse.resize(2 * width)
  inverter.io.in.valid := state === State.Invert && returns
  inverter.io.in.payload := result.takeLow(width)
  inverter.io.out.ready := state === State.Invert
  private val hasAnswer = RegInit(False) setWhen (state === State.Done && returns) clearWhen io.out.fire
  io.out.valid := hasAnswer
  io.out.payload := answer

  switch(state) {
    is(State.Idle) {
      when(io.in.fire) {
        value := io.in.payload
        state := State.Conjugate
      }
    }
    is(State.Conjugate)(when(isNegated)(state := State.Norm))
    is(State.Norm)(when(factors.fire)(state := State.Invert))
    is(State.Invert)(when(inverter.io.out.valid)(state := State.Quotient))
    is(State.Quotient)(when(factors.fire)(state := State.Done))
    is(State.Done)(when(io.out.fire)(state := State.Idle))
  }
}

object QuadraticInverter {

  /** The interval of a factor's digits: those of a product and of its negative. */
  def factor(arithmetic: Arithmetic): Bound = {
    val (product, negative) = (arithmetic.product, -arithmetic.product)
    Bound(product.low.min(negative.low), product.high.max(negative.high))
  }
}
