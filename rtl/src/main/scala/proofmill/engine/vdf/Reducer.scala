package proofmill.engine.vdf

import proofmill.arith.{BehaviouralModel, ModelFunction, Timed}
import spinal.core._
import spinal.lib._

/** The second phase of a squaring: the lower digits of a square, and the products of the upper ones with the constants, added.
  *
  * With two passes, the lower half of the upper digits enters first. The constants are a shift register: it has the constants
  * of a modulus when they have entered in order.
  */
class Reducer(config: VdfConfig) extends Component {
  import VdfConfig.{digitBits, radix, wide}
  import config._

  val square = in(Vec(UInt(digitBits bits), squareDigits)) // the digits, unchanged in all cycles of the phase
  val added = in(Bits(bits bits)) // an integer that is added to the result
  val constant = slave(Flow(Bits(bits bits))) // pulse: the next constant
  val second = in(Bool()) // level: the products of the second pass enter, if there is one
  val reduced = out(Vec(UInt(digitBits bits), digits)) // the digits of the result, `passes` cycles after the square

  val rows = Vec(Seq.fill(constants)(Reg(Bits(bits bits))))
  when(constant.valid) {
    for ((row, above) <- rows.zip(rows.tail :+ constant.payload)) row := above
  }

  reduced := Vec((if (model) modelled else circuit).map(_.resize(digitBits)))

  private def circuit: Seq[UInt] = {
    val size = (constants + passes - 1) / passes
    val groups = Seq.tabulate(size)(j => (j until constants by size))
    // The products of each part, with the largest one in each pass.
    val products = for (group <- groups; from <- parts) yield {
      val width = wide min (bits - from)
      def selected[T <: Data](values: Seq[T]): T = if (values.size == 1) values.head
      else second ? values.last | values.head
      val digit = selected(group.map(j => square(low + j)))
      val part = selected(group.map(j => rows(j)(from, width bits).asUInt))
      val tile = Tile(digit, part)
      group.map(j => Addend(tile, squareHigh(low + j) * ((BigInt(1) << width) - 1), from))
    }
    val all = Seq.tabulate(passes)(pass => products.flatMap(_.lift(pass)))
    val kept = (0 until low).map(k => Addend(square(k), squareHigh(k), radix * k))
    val input = Addend(added.asUInt, (BigInt(1) << bits) - 1, 0)
    ColumnSums.digits(ColumnSums.ofPasses(all, Seq(input), kept, digits), digitHigh)
  }

  private def modelled: Seq[UInt] = {
    val function = ModelFunction(
      s"vdf_reduce_$bits",
      Seq(squareDigits * digitBits, bits) ++ Seq.fill(constants)(bits),
      digits * digitBits,
      s"""|${VdfConfig.bitsText}uint64_t column[$digits + 8] = {};
          |const uint32_t *const rows[] = {${(0 until constants).map(j => s"in${j + 2}").mkString(", ")}};
          |for (int k = 0; k < $low; ++k)
          |    column[k] = bits(in0, $digitBits * k, $digitBits) + bits(in1, $radix * k, $radix);
          |for (int j = 0; j < $constants; ++j) {
          |    const uint64_t digit = bits(in0, $digitBits * ($low + j), $digitBits);
          |    for (int from = 0; from < $bits; from += $wide) {
          |        const int width = $bits - from < $wide ? $bits - from : $wide;
          |        uint64_t product = digit * bits(rows[j], from, width);
          |        for (int at = from; product;) {
          |            const int step = $radix - at % $radix;
          |            column[at / $radix] += (product & ((1ull << step) - 1)) << at % $radix;
          |            product >>= step;
          |            at += step;
          |        }
          |    }
          |}
          |${VdfConfig.digitsText(digits)}""".stripMargin
    )
    val operands = (Seq(square.asBits, added) ++ rows).map(Timed(_, 0))
    BehaviouralModel(function, passes, operands: _*).value.subdivideIn(digitBits bits).map(_.asUInt).toSeq
  }
}
