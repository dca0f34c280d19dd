package proofmill.arith

import spinal.core._

/** One signed product with registers at the operands, after the multiplication and at the result: the shape that
  * becomes one DSP48E2 together with its registers. The only place with an attribute for a vendor's tool.
  */
case class DspTile(widthA: Int, widthB: Int) extends Component {
  definitionName = s"DspTile${widthA}x$widthB"

  val io = new Bundle {
    val a = in(SInt(widthA bits))
    val b = in(SInt(widthB bits))
    val p = out(SInt(widthA + widthB bits))
  }
  private val product = RegNext(RegNext(io.a) * RegNext(io.b))
  product.addAttribute("use_dsp", "yes")
  io.p := RegNext(product)
}

object DspTile {
  val latency: Int = 3
}
