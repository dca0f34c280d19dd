package proofmill.arith

import spinal.core._

/** A signed product with three registers, at the operands, after the multiplication and at the result, or with the second
  * one only; optionally plus an addend of `addend` bits. It maps to one DSP48E2 with its internal registers and adder. This
  * is the only module with an attribute that directs a vendor's tool to use a DSP.
  */
case class DspTile(widthA: Int, widthB: Int, registers: Int = DspTile.latency, addend: Option[Int] = None)
    extends Component {
  require(registers == 1 || registers == DspTile.latency, s"registers: $registers is neither 1 nor ${DspTile.latency}")
  private val early = registers == 1
  private val width = addend.fold(widthA + widthB)(more => 1 + (widthA + widthB).max(more))
  require(width <= DspTile.adder, s"a sum of $width bits, but a DSP48E2 adds ${DspTile.adder}")
  definitionName = s"DspTile${widthA}x$widthB${if (early) "early" else ""}${addend.fold("")(more => s"plus$more")}"

  val io = new Bundle {
    val a = in(SInt(widthA bits)) // first factor
    val b = in(SInt(widthB bits)) // second factor
    val c = addend.map(bits => in(SInt(bits bits))) // addend, a cycle before `p`: the tile below, right by 0 or 17 bits
    val p = out(SInt(width bits)) // product, plus `c`, `registers` cycles after the factors
  }
  private def outer(value: SInt): SInt = if (early) value else RegNext(value)
  private val product = RegNext(outer(io.a) * outer(io.b))
  product.addAttribute("use_dsp", "yes")
  io.p := outer(io.c.fold(product)(_.resize(width) + product))
}

object DspTile {
  val latency: Int = 3

  /** Bits of the adder in a DSP48E2. */
  private val adder: Int = 48
}
