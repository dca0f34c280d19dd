package proofmill.field

import proofmill.arith._
import spinal.core._

/** A plan that decides whether digits within `bound` represent 0 modulo p.
  *
  *   1. Horner's rule: v = d(0) + d(1) z + …
  *   2. The bits of v from a bit s on, with 2^s < p, select the only multiple of p with the same highest bits, if there is one.
  *   3. The bits below s are compared with those of the multiple.
  */
case class ZeroTestPlan(arithmetic: Arithmetic, bound: Bound, pace: Pace) {
  import arithmetic.{base, digits, field}
  private val p = field.modulus
  val s: Int = field.bits - 1
  private val v = Seq.fill(digits)(Ready(bound, 0)).reduceLeft((v, d) =>
    Combine.plan(
      weights.map { case (isValue, weight) => (if (isValue) v else d) -> weight },
      pace
    )
  )
  private def weights = Seq(true -> base, false -> BigInt(1))

  /** For each value of the highest bits: the multiple's bits below s, or 2^s if there is none. */
  val words: Seq[BigInt] = {
    val bits = v.bound.width - s
    (0 until 1 << bits).map { index =>
      val low = BigInt(if (index >= (1 << (bits - 1))) index - (1 << bits) else index) << s
      val rest = (-low).mod(p) // from the least integer with these bits to the next multiple
      rest.min(BigInt(1) << s)
    }
  }
  val latency: Int = v.cycle + ZeroTest.steps(s + 1)
}

/** A zero test that accepts a residue in every cycle. */
class ZeroTest(plan: ZeroTestPlan) extends Component {
  import plan.{bound, pace, s, words}
  import plan.arithmetic.{base, digits, field}
  val io = new Bundle {
    val residue = in(Bits(digits * bound.width bits)) // residue to test
    val isZero = out(Bool()) // `plan.latency` cycles later
  }
  definitionName = s"ZeroTest_${field.name}"

  private val numbers = Residue(io.residue, digits, bound, 0).digits.map(Number(_, bound))
  private val v = numbers.reverse.reduceLeft((v, d) => Combine.build(Seq(v -> base, d -> BigInt(1)), pace))
  private val value = v.value.value.resize(v.bound.width)
  private val multiple = ConstantTable.now(words, Timed(value.asUInt >> s, 0)).value.asBits.resize(s + 1)
  private val differences = multiple ^ (False ## value.takeLow(s))
  io.isZero := !ZeroTest.anySet(differences)
  require(
    v.value.cycle + ZeroTest.steps(s + 1) == plan.latency,
    s"${field.name}: v is there in cycle ${v.value.cycle}, the test is planned for ${plan.latency}"
  )
}

object ZeroTest {

  /** Bits that are combined in one cycle: two levels of LUTs. */
  private val together = 36

  /** Cycles of [[anySet]] for `bits` bits. */
  private[field] def steps(bits: Int): Int = if (bits == 1) 0 else 1 + steps((bits + together - 1) / together)

  private def anySet(bits: Bits): Bool =
    if (bits.getWidth == 1) bits(0)
    else anySet(Cat(bits.subdivideIn(together bits, strict = false).map(part => RegNext(part.orR))))
}
