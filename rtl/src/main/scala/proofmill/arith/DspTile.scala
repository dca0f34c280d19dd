package proofmill.arith

import spinal.core._

/** A signed product with registers at the operands, after the multiplication and at the result. It maps to one DSP48E2 with
  * its internal registers. This is the only module with an attribute that directs a vendor's tool to use a DSP.
  */
case class DspTile(widthA: Int, widthB: Int) extends Component {
  definitionName = s"DspTile${widthA}x$widthB"

  val io = new Bundle {
    val a = in(SInt(widthA bits)) // first factor
    val b = in(SInt(widthB bits)) // second factor
    val p = out(SInt(widthA + widthB bits)) // product, three cycles later
  }
  private val product = RegNext(RegNext(io.a) * RegNext(io.b))
  product.addAttribute("use_dsp", "yes")
  io.p := RegNext(product)
}

object DspTile {
  val latency: Int = 3
}
