package proofmill.arith

import spinal.core._

/** A signed product with three registers, at the operands, after the multiplication and at the result, or with the second
  * one only. It maps to one DSP48E2 with its internal registers. This is the only module with an attribute that directs a
  * vendor's tool to use a DSP.
  */
case class DspTile(widthA: Int, widthB: Int, registers: Int = DspTile.latency) extends Component {
  require(registers == 1 || registers == DspTile.latency, s"registers: $registers is neither 1 nor ${DspTile.latency}")
  private val early = registers == 1
  definitionName = s"DspTile${widthA}x$widthB${if (early) "early" else ""}"

  val io = new Bundle {
    val a = in(SInt(widthA bits)) // first factor
    val b = in(SInt(widthB bits)) // second factor
    val p = out(SInt(widthA + widthB bits)) // product, `registers` cycles later
  }
  private def outer(value: SInt): SInt = if (early) value else RegNext(value)
  private val product = RegNext(outer(io.a) * outer(io.b))
  product.addAttribute("use_dsp", "yes")
  io.p := outer(product)
}

object DspTile {
  val latency: Int = 3
}
