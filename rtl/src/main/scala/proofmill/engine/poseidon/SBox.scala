package proofmill.engine.poseidon

import proofmill.arith.Lag
import proofmill.field.Residue
import spinal.core._

/** Raises an element to the fifth power, one each cycle; with `scaled`, times another element: three multiplications or four.
  *
  * {{{
  *   x ─┬─► x^2 ─► x^4 ─┬─► x^4 (k x)
  *   k ─┴─► k x ─ delay ┘
  * }}}
  * `scaled` also outputs k x, after one multiplication.
  */
class SBox(residues: Residues, scaled: Boolean) extends Component {
  import residues.{arithmetic, bound, digits, elementBits}
  val io = new Bundle {
    val x = in(Bits(elementBits bits)) // element
    val k = scaled generate in(Bits(elementBits bits)) // scale
    val power = out(Bits(elementBits bits)) // fifth power, or k times it
    val product = scaled generate out(Bits(digits * arithmetic.product.width bits)) // k x
  }
  setDefinitionName(if (scaled) "PoseidonSBoxScaled" else "PoseidonSBox")

  private val cycles = arithmetic.mulLatency
  private def element(bits: Bits, cycle: Int) = Residue(bits, digits, bound, cycle)
  private val x = element(io.x, 0)
  private val square = arithmetic.mul(x, x)
  private val fourth = arithmetic.mul(square, square)
  private val other =
    if (scaled) {
      val product = arithmetic.mul(x, element(io.k, 0))
      io.product := product.bits(cycles)
      Lag(product.bits(cycles, bound), cycles)
    } else Lag(io.x, 2 * cycles)
  io.power := arithmetic.mul(fourth, element(other, 2 * cycles)).bits(SBox.latency(residues), bound)
}

object SBox {
  def latency(residues: Residues): Int = 3 * residues.arithmetic.mulLatency

  /** Cycles until k x is valid. */
  def productLatency(residues: Residues): Int = residues.arithmetic.mulLatency
}
