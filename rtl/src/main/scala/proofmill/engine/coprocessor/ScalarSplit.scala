package proofmill.engine.coprocessor

import spinal.core._
import spinal.lib._

/** Splits a scalar into integers below powers of |x|, the curve's parameter: `parts`, k0 lowest.
  *
  *   - G1: k0 + k1 (x^2 - 1).
  *   - G2: k0 + k1 |x| + k2 |x|^2 + k3 |x|^3.
  *
  *   1. Divide: one bit of the quotient per cycle, by x^2 - 1 or |x|.
  *   2. Next: the remainder is a part; the quotient is divided again, and the last quotient is a part, too.
  *
  * `fits` if the last quotient is as short as the other parts. This holds for every scalar below the order r = x^4 - x^2 + 1.
  */
class ScalarSplit(bits: Int) extends Component {
  import ScalarSplit._
  val io = new Bundle {

    /** A scalar to split. */
    val start = slave(Flow(Bits(bits bits)))
    val second = in(Bool()) // level: split for G2, otherwise for G1; steady until the next scalar

    /** Level: a scalar is being split. */
    val busy = out(Bool())
    val fits = out(Bool()) // level, valid while not `busy`: the last quotient is as short as the other parts
    val parts = out(Bits(width bits)) // valid while not `busy`: two halves for G1, four quarters for G2, k0 lowest
  }
  private val busy = RegInit(False)
  private val fits = Reg(Bool())
  private val dividend, found = Reg(Bits(width bits))
  private val rest = Reg(UInt(width / 2 bits))
  private val step = Reg(UInt(log2Up(width + 1) bits)) // bits of the quotient that remain
  private val divides = Reg(Bool()) // bits remain
  private val round = Reg(UInt(log2Up(parts) bits))

  // 1. Divide.
  private val divisor = io.second ? U(divisors(true), width / 2 bits) | U(divisors(false), width / 2 bits)
  private val longer = rest @@ dividend.msb
  private val less = longer -^ divisor
  when(busy && divides) {
    rest := (less.msb ? longer | less.resize(longer.getWidth)).resize(width / 2)
    dividend := dividend.dropHigh(1) ## !less.msb
    step := step - 1
    divides := step =/= 1
  }

  // 2. Next.
  private val isLast = round === (io.second ? U(parts - 2, round.getWidth bits) | U(0, round.getWidth bits))
  private val last = RegInit(False)
  private def take(part: Bits, size: Int): Bits = part.resize(size) ## found.dropLow(size)
  private def takes(part: Bits): Bits = io.second ? take(part, width / parts) | take(part, width / 2)
  when(busy && !divides) {
    found := takes(last ? dividend | rest.asBits.resize(width))
    rest := 0
    round := round + 1
    last := isLast
    when(last) {
      busy := False
      fits := fits && (io.second ? (dividend.dropLow(width / parts) === 0) | (dividend.dropLow(width / 2) === 0))
    } elsewhen !isLast {
      for (i <- 0 until parts - 2) when(round === i) {
        dividend := dividend |<< (width - quotientBits(i))
        step := quotientBits(i)
        divides := True
      }
    }
  }
  when(io.start.valid) {
    busy := True
    fits := io.start.payload.dropLow(width) === 0
    // The highest bits are less than the divisor.
    for (group <- Seq(false, true)) when(io.second === Bool(group)) {
      val known = divisors(group).bitLength - 1
      rest := io.start.payload(width - known, known bits).asUInt.resized
      dividend := (io.start.payload |<< known).resize(width)
      step := width - known
      divides := True
    }
    round := 0
    last := False
  }
  io.busy := busy
  io.fits := fits
  io.parts := found
}

object ScalarSplit {
  import proofmill.pairing.Layout
  private val parts = Layout.digits
  val width = 256

  /** |x|. */
  val parameter = BigInt("d201000000010000", 16)

  /** Of G2, and of G1. */
  private val divisors = Map(true -> parameter, false -> (parameter * parameter - 1))

  /** Of the quotient after i + 1 divisions by |x| of what has `width` bits. */
  private def quotientBits(i: Int): Int = ((BigInt(1) << width) / parameter.pow(i + 1)).bitLength
}
