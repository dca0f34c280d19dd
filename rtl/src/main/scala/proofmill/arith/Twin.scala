package proofmill.arith

import spinal.core._

/** A function in C++ that stands in for a circuit in long simulations.
  *
  * @param inputs widths of its operands, which `body` sees as `const uint32_t *in0, *in1, …`, least word first
  * @param output width of its result, `uint32_t *out`
  * @param body C++ statements; the types of `wide.h` are known
  */
case class TwinFunction(name: String, inputs: Seq[Int], output: Int, body: String)

object Twin {

  /** The function's result for operands of one cycle, `latency` cycles later; the C++ is written beside the Verilog. */
  def apply(function: TwinFunction, latency: Int, operands: Timed[Bits]*): Timed[Bits] = ???
}
