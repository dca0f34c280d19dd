package proofmill.engine.coprocessor

import spinal.core._
import spinal.lib._

/** A scalar as integers below powers of |x|, the curve's parameter, and their digits as a walk asks for them.
  *
  *   - G1: k0 + k1 (x^2 - 1), two bits of each at a time, the lowest ones first. Digits 0 and 1 are a bit of k0 and one of k1 above it, digits 2
  *     and 3 bits of x^2, by which the walk finds out whether its point is in the subgroup.
  *   - G2: k0 + k1 |x| + k2 |x|^2 + k3 |x|^3, four bits of each at a time, the highest ones first.
  *
  *   1. Divide: a bit of the quotient a cycle, by x^2 - 1 or |x|.
  *   2. Next: the remainder is an integer, and what is left of the quotient's bits is divided. The last quotient is one, too.
  *
  * `fits` when the last quotient is as short as the others, as it is of any scalar below the order r = x^4 - x^2 + 1.
  */
class Split(bits: Int) extends Component {
  import Split._
  val io = new Bundle {
    val start = slave(Flow(Bits(bits bits)))
    val second = in(Bool()) // for G2; stays as it is until the next start
    val begin = in(Bool()) // a walk
    val next = in(Bool()) // it has read its digits
    val busy, fits = out(Bool())
    val digits = out(Vec.fill(parts)(UInt(digitBits bits)))
  }
  private val busy = RegInit(False)
  private val fits = Reg(Bool())
  private val dividend, found = Reg(Bits(width bits))
  private val rest = Reg(UInt(width / 2 bits))
  private val step = Reg(UInt(log2Up(width + 1) bits))
  private val round = Reg(UInt(log2Up(parts) bits))

  // 1. Divide.
  private val divisor = io.second ? U(divisors(true), width / 2 bits) | U(divisors(false), width / 2 bits)
  private val longer = rest @@ dividend.msb
  private val less = longer -^ divisor
  when(busy && step =/= 0) {
    rest := (less.msb ? longer | less.resize(longer.getWidth)).resize(width / 2)
    dividend := dividend.dropHigh(1) ## !less.msb
    step := step - 1
  }

  // 2. Next.
  private val isLast = round === (io.second ? U(parts - 2, round.getWidth bits) | U(0, round.getWidth bits))
  private val last = RegInit(False)
  private def take(part: Bits, size: Int): Bits = part.resize(size) ## found.dropLow(size)
  private def takes(part: Bits): Bits = io.second ? take(part, width / parts) | take(part, width / 2)
  when(busy && step === 0) {
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
    }
    round := 0
    last := False
  }
  io.busy := busy
  io.fits := fits

  // Digits.
  private val halves = found.subdivideIn(2 slices)
  private val member = Reg(Bits(width / 2 bits))
  when(io.begin)(member := parameter * parameter)
  when(io.next) {
    found := io.second ? (found |<< digitBits) | Cat(halves.map(_ |>> turn))
    member := member |>> turn
  }
  private val ofFirst = (0 until turn).map(i => halves(1)(i) ## halves(0)(i)) ++ (0 until turn).map(member(_).asBits)
  private val ofSecond = found.subdivideIn(parts slices).map(_.takeHigh(digitBits))
  io.digits := Vec(ofFirst.zip(ofSecond).map { case (g1, g2) => (io.second ? g2 | g1.resize(digitBits)).asUInt })
}

object Split {
  import proofmill.pairing.Layout
  private val parts = Layout.digits
  private val digitBits = Layout.digitBits
  private val width = 256

  /** Bits of an integer that a turn of a walk in G1 takes. */
  private val turn = parts / 2

  /** |x|. */
  private val parameter = BigInt("d201000000010000", 16)

  /** Of G2, and of G1. */
  private val divisors = Map(true -> parameter, false -> (parameter * parameter - 1))

  /** Of the quotient after i + 1 divisions by |x| of what has `width` bits. */
  private def quotientBits(i: Int): Int = ((BigInt(1) << width) / parameter.pow(i + 1)).bitLength
}
