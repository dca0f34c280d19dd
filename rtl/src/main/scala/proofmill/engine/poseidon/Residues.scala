package proofmill.engine.poseidon

import proofmill.arith.Price
import proofmill.field.{Arithmetic, Bound, Form, Options}
import proofmill.spec.Poseidon

/** The arithmetic of all units. An element is the concatenation of its digits, which are within the bounds of a
  * multiplication's factors.
  */
class Residues(model: Boolean) {
  val options: Options = Options(model = model)
  val price: Price = options.price
  val arithmetic: Arithmetic = Arithmetic(Poseidon.field, options)
  val form: Form = Form(Poseidon.field, options)
  val digits: Int = form.digits
  val bound: Bound = form.factor
  val digitBits: Int = bound.width
  val elementBits: Int = digits * digitBits

  /** Returns an integer's representation as an element. */
  def encoded(value: BigInt): BigInt = arithmetic.word(value, bound)
}
