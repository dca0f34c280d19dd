package proofmill.engine.poseidon

import proofmill.arith.Price
import proofmill.field.{Arithmetic, Bound, Form, Options}
import proofmill.spec.Poseidon

/** The arithmetic of all units: elements are digits within what a multiplication takes, side by side. */
class Residues(model: Boolean) {
  val options: Options = Options(model = model)
  val price: Price = options.price
  val arithmetic: Arithmetic = Arithmetic(Poseidon.field, options)
  val form: Form = Form(Poseidon.field, options)
  val digits: Int = form.digits
  val bound: Bound = form.factor
  val digitBits: Int = bound.width
  val elementBits: Int = digits * digitBits

  /** An integer's bits as an element. */
  def encoded(value: BigInt): BigInt =
    arithmetic.encode(value).foldRight(BigInt(0))((digit, above) =>
      above << digitBits | digit.mod(BigInt(1) << digitBits)
    )
}
