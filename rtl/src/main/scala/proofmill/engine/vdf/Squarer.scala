package proofmill.engine.vdf

import proofmill.arith._
import spinal.core._

/** The first phase of a squaring: the digits of the square of a state.
  *
  * In one cycle the products of a pass enter the multipliers, and in the next one they are added. With one pass these are
  * all products of two digits. With two, first the products of a lower and an upper digit enter, then those of two digits of
  * one half: only one factor of a multiplier is selected, and the multipliers of a row or column share the selection.
  */
class Squarer(config: VdfConfig) extends Component {
  import VdfConfig.digitBits
  import config._

  val state = in(Vec(UInt(digitBits bits), digits)) // the digits, unchanged in all cycles of the phase
  val second = in(Bool()) // level: the products of the second pass enter, if there is one
  val complete = in(Bool()) // pulse in the last cycle of the phase
  val square = out(Vec(UInt(digitBits bits), squareDigits)) // the square's digits from the second phase on

  square := Vec((if (model) modelled else circuit).map(_.resize(digitBits)))

  private def circuit: Seq[UInt] = {
    val products = if (passes == 1) Seq(full) else halves
    ColumnSums.digits(ColumnSums.ofPasses(products, Nil, Nil, squareDigits), digitHigh).map(RegNextWhen(_, complete))
  }

  private def product(i: Int, j: Int, value: UInt): Addend = {
    val twice = if (i == j) 1 else 2
    val high = stateHigh(i) * stateHigh(j) * twice
    Addend(if (i == j) value else value @@ U(0, 1 bits), high, VdfConfig.radix * (i + j))
  }

  private def full: Seq[Addend] =
    for (i <- 0 until digits; j <- i until digits) yield product(i, j, Tile(state(i), state(j)))

  /** The products of the two passes, in a multiplier (i, j) for each digit of a half. Above the diagonal the column's factor
    * is selected, otherwise the row's. The squares of lower digits have multipliers of their own.
    */
  private def halves: Seq[Seq[Addend]] = {
    val size = (digits + 1) / 2
    def digit(k: Int) = if (k < digits) state(k) else U(0, digitBits bits)
    val row = Seq.tabulate(size)(i => second ? digit(size + i) | digit(i))
    val column = Seq.tabulate(size)(j => second ? digit(j) | digit(size + j))
    val (crossed, own) = (for (i <- 0 until size; j <- 0 until size) yield {
      val tile = if (i < j) Tile(digit(i), column(j)) else Tile(row(i), digit(size + j))
      val (a, b) = if (i < j) (i, j) else (size + j, size + i)
      ((i, size + j, tile), (a, b, tile))
    }).unzip
    val squares = for (i <- 0 until size) yield (i, i, Tile(digit(i), digit(i)))
    Seq(crossed, own ++ squares).map(_.collect { case (a, b, tile) if a < digits && b < digits => product(a, b, tile) })
  }

  private def modelled: Seq[UInt] = {
    val function = ModelFunction(
      s"vdf_square_$bits",
      Seq(digits * digitBits),
      squareDigits * digitBits,
      s"""|${VdfConfig.bitsText}uint64_t x[$digits], column[$squareDigits + 4] = {};
          |for (int i = 0; i < $digits; ++i) x[i] = bits(in0, $digitBits * i, $digitBits);
          |for (int i = 0; i < $digits; ++i)
          |    for (int j = i; j < $digits; ++j) {
          |        uint64_t product = x[i] * x[j] << (i != j);
          |        for (int k = i + j; product; ++k, product >>= ${VdfConfig.radix}) column[k] += product & ${VdfConfig.mask};
          |    }
          |${VdfConfig.digitsText(squareDigits)}""".stripMargin
    )
    BehaviouralModel(function, passes + 1, Timed(state.asBits, 0)).value.subdivideIn(digitBits bits).map(_.asUInt).toSeq
  }
}

/** A product of two digits or of a digit and a part of a constant, in a multiplier with one register, at its result. */
private object Tile {
  def apply(a: UInt, b: UInt): UInt = {
    val tile = DspTile(a.getWidth + 1, b.getWidth + 1, registers = 1)
    tile.io.a := a.intoSInt
    tile.io.b := b.intoSInt
    tile.io.p.asUInt.resize(a.getWidth + b.getWidth)
  }
}
