package proofmill.field

import proofmill.arith._
import spinal.core._

/** A plan that converts digits within `bound` to the least residue, 0 to p - 1, of the integer v that they represent.
  *
  *   1. Horner's rule: v = d(0) + d(1) z + …
  *   2. The highest bits of v, from a bit s on with 2^s < p, select q = floor(2^s floor(v / 2^s) / p): v - q p is between 0 and p + 2^s - 1.
  *   3. p is subtracted unless the difference is negative.
  */
case class SettlePlan(arithmetic: Arithmetic, bound: Bound, pace: Pace) {
  import arithmetic.{base, digits, field}
  require(arithmetic.scale == 1, s"${field.name}: residues with a scale have to be multiplied first")
  val p: BigInt = field.modulus
  val s: Int = field.bits - 1

  /** The interval of v - q p. */
  val range: Bound = Bound(0, p + (BigInt(1) << s) - 1)
  private val v = Seq.fill(digits)(Ready(bound, 0)).reduceLeft((v, d) =>
    Combine.plan(
      weights.map { case (x, k) =>
        (if (x) v else d) -> k
      },
      pace
    )
  )
  private def weights = Seq(true -> base, false -> BigInt(1))

  /** -q p for each index. */
  val words: Seq[BigInt] = {
    val bits = v.bound.width - s
    (0 until 1 << bits).map { index =>
      val signed = if (index >= (1 << (bits - 1))) index - (1 << bits) else index
      val top = BigInt(signed).max(v.bound.low >> s).min(v.bound.high >> s) << s
      top.mod(p) - top
    }
  }
  val latency: Int = {
    val rest = Sum.latency(Seq(v.bound, ConstantTable.bound(words)).map(_ -> BigInt(1)), range, pace)
    v.cycle + 1 + rest + Sum.latency(Seq(range -> BigInt(1)), range - Bound(p, p), pace, -p) + 1
  }
}

/** Computes canonical integers, one in each cycle. [[Canonical]] is smaller and slower. */
class Settle(plan: SettlePlan) extends Component {
  import plan.{bound, p, pace, range, s, words}
  import plan.arithmetic.{base, digits, field}
  val io = new Bundle {
    val residue = in(Bits(digits * bound.width bits)) // residue to convert
    val result = out(Bits(field.bits bits)) // canonical integer, `plan.latency` cycles later
  }
  setDefinitionName(s"Settle_${field.name}")

  private val numbers = Residue(io.residue, digits, bound, 0).digits.map(Number(_, bound))
  private val v = numbers.reverse.reduceLeft((v, d) => Combine.build(Seq(v -> base, d -> BigInt(1)), pace))
  private val index = Timed(v.value.value.resize(v.bound.width).asUInt >> s, v.value.cycle)
  private val multiple = Term(ConstantTable(words, index), ConstantTable.bound(words))
  private val rest = Sum(Seq(Term(v.value, v.bound), multiple), range, pace)
  private val less = Sum(Seq(Term(rest, range)), range - Bound(p, p), pace, -p)
  io.result := RegNext(less.value.msb ? rest.at(less.cycle) | less.value.resize(range.width)).asBits.resize(field.bits)
  require(
    less.cycle + 1 == plan.latency,
    s"${field.name}: settled in ${less.cycle + 1} cycles, planned are ${plan.latency}"
  )
}
