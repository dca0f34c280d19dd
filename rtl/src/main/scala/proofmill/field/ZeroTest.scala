package proofmill.field

import proofmill.arith._
import proofmill.spec.BaseZ
import spinal.core._

/** Tests whether residues with digits within `bound` are 0 modulo p, one residue in each cycle.
  *
  * With one digit: the bits of the integer from a bit s on, with 2^s < p, select the only multiple of p with these highest
  * bits, if there is one. The bits below s are compared with those of the multiple.
  *
  * With digits in base z: m p = P(z), a polynomial with small coefficients f(i), the highest one 1. A residue is k p if and
  * only if the sum of (m d(i) - k f(i)) z^i is k z^n. The carries c(i) of this sum are unique: m d(i) = c(i + 1) z + k f(i) -
  * c(i), where k f(i) - c(i) is short. Hence c(i + 1) is the integer nearest to m d(i) / z, which the highest bits of d(i)
  * determine if there is a solution, and k = c(n). So each digit is compared with its carry's constant, and a short difference
  * with its neighbours.
  */
class ZeroTest(arithmetic: Arithmetic, bound: Bound) extends Component {
  import arithmetic.{digits, field}
  val io = new Bundle {
    val residue = in(Bits(digits * bound.width bits)) // residue to test
    val isZero = out(Bool()) // `latency` cycles later
  }
  definitionName = s"ZeroTest_${field.name}"
  private val p = field.modulus
  private val values = Residue(io.residue, digits, bound, 0).digits.map(_.value)

  /** The words of a table by the bits of a digit from bit s on; `choose` gets the lowest digit with these bits. */
  private def table(s: Int)(choose: BigInt => BigInt): Seq[BigInt] = {
    val bits = bound.width - s
    (0 until 1 << bits).map(index =>
      choose(BigInt(if (index >= (1 << (bits - 1))) index - (1 << bits) else index) << s)
    )
  }
  private def select(words: Seq[BigInt], digit: SInt, s: Int): SInt =
    ConstantTable.now(words, Timed((digit >> s).asBits.asUInt, 0)).value

  /** Bits that are 0 if the residue is, and the cycle in which they are registered. */
  private val (remaining, cycle) = field.baseZ match {
    case Some(form) if digits > 1 => (fromDigits(form), 2)
    case _                        => (ZeroTest.grouped(fromInteger), 1)
  }
  val latency: Int = cycle + ZeroTest.steps(remaining.getWidth)
  io.isZero := !ZeroTest.anySet(remaining)

  /** The bits in which an integer differs from the multiple of p; one more is set if there is none. */
  private def fromInteger: Bits = {
    val s = field.bits - 1
    val multiple = table(s) { low =>
      val rest = (-low).mod(p) // from there to the next multiple
      rest.min(BigInt(1) << s)
    }
    select(multiple, values.head, s).asBits.resize(s + 1) ^ (False ## values.head.takeLow(s))
  }

  /** A small multiple, as a sum of shifts: a product of two numbers would take a DSP. */
  private def times(x: SInt, k: BigInt): SInt =
    NonAdjacent(k).foldLeft(S(0, x.getWidth bits)) { case (sum, (shift, minus)) =>
      val term = (x << shift).resize(x.getWidth)
      if (minus) sum - term else sum + term
    }

  private def fromDigits(form: BaseZ): Bits = {
    val m = BigInt(form.divisor)
    val z = form.z

    // Carries c and the digits c z / m, rounded, next to which a digit must be. There is at most one of them for 2^s digits and those next to them.
    val s = (z.abs / m).bitLength - 1
    require((BigInt(1) << s) + 2 * ZeroTest.near < z.abs / m, s"${field.name}: two multiples of z / $m for one index")
    def carry(low: BigInt): BigInt = {
      val middle = low + (BigInt(1) << (s - 1))
      Divide.quotient(m * middle, z)
    }
    def near(carry: BigInt): BigInt = Divide.quotient(carry * z, m)
    val carries = values.map(d => RegNext(select(table(s)(carry), d, s)))
    val above = values.map { d =>
      val word = select(table(s)(low => near(carry(low))), d, s)
      RegNext(d.resize(bound.width + 1) - word.resize(bound.width + 1))
    }
    val most = carries.head.getWidth
    val f = form.polynomial.map(BigInt(_))
    val short = 2 + log2Up(ZeroTest.near) // bits of a difference that is near enough
    val width = (short + m.bitLength).max(most + f.map(_.abs.bitLength).max) + 2

    // m d(i) - c(i + 1) z = k f(i) - c(i)
    val words = table(s)(carry).distinct
    val offsets = words.map(c => m * near(c) - c * z) // of the rounding
    val largest = f.map(_.abs).max + 1
    require(
      largest * words.map(_.abs).max + m <= m * ZeroTest.near,
      s"${field.name}: a digit may be farther from its carry's constant"
    )
    require(offsets.forall(_.abs <= m), s"${field.name}: a rounded multiple is off by more than 1")
    val unequal = values.indices.map { i =>
      val offset = words.zip(offsets).map { case (c, offset) =>
        S(offset, width bits).andMask(carries(i) === S(c, most bits))
      }.reduce(_ | _)
      val left = times(above(i).resize(short).resize(width), m) + offset
      val previous = if (i == 0) S(0, width bits) else carries(i - 1).resize(width)
      RegNext(left =/= times(carries.last.resize(width), f(i)) - previous)
    }
    val long = above.map(d => (d >> short).asBits ^ B(d.getWidth - short bits, default -> d(short - 1)))
    Cat(unequal) ## ZeroTest.grouped(Cat(long))
  }
}

object ZeroTest {

  /** A digit of a residue that is 0 is at most as far from its carry's constant. */
  private val near = 32

  /** Bits that are combined in one cycle: two levels of LUTs. */
  private val together = 36

  /** Cycles of [[anySet]] for `bits` bits. */
  private def steps(bits: Int): Int = if (bits == 1) 0 else 1 + steps((bits + together - 1) / together)

  /** Returns whether a bit is set in each group of bits, one cycle later. */
  private def grouped(bits: Bits): Bits =
    Cat(bits.subdivideIn(together bits, strict = false).map(part => RegNext(part.orR)))

  private def anySet(bits: Bits): Bool = if (bits.getWidth == 1) bits(0) else anySet(grouped(bits))
}
