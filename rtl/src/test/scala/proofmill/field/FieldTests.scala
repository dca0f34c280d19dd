package proofmill.field

import proofmill.RtlTest
import proofmill.arith.Price
import proofmill.spec.Field

/** What is known of every field's multiplier before there is hardware; what it computes, `rtl/sim/test_multipliers.py` checks. */
object FieldTests {
  def all: Seq[RtlTest] = Seq(
    RtlTest("field: every multiplier within its goal of DSPs")(goals()),
    RtlTest("field: secp256k1's early multiplier within 8 cycles and 108 DSPs")(early()),
    RtlTest("field: a canonical integer is a factor and comes back")(roundTrip())
  )

  /** One result a cycle, the whole multiplication, reduction included. */
  private def goals(): Unit = for (field <- Field.names.map(Field(_))) {
    val goal = if (field.bits > 256) 216 else if (field.bits > 64) 108 else 12
    val plan = ProductPlan(Form(field, Options()), Options().price)
    val dsp = plan.polynomial.dsp
    RtlTest.require(s"${field.name}: $dsp DSP, at most $goal", dsp <= goal, true)
  }

  /** A lone signature is a chain of dependent products. */
  private def early(): Unit = {
    val plan = ProductPlan(Form(Field("secp256k1_fp"), Options(Price.early)), Price.early)
    RtlTest.require("DSPs", plan.polynomial.dsp <= 108, true)
    RtlTest.require(s"${plan.latency} cycles, at most 8", plan.latency <= 8, true)
  }

  private def roundTrip(): Unit = for {
    field <- Field.names.map(Field(_))
    montgomery <- Seq(false, true)
    arithmetic = Arithmetic(field, Options(montgomery = montgomery))
    value <- Seq(BigInt(0), BigInt(1), field.modulus - 1, field.modulus / 2, BigInt(1) << (field.bits - 1))
  } RtlTest.require(
    s"${field.name} $value",
    arithmetic.decode(arithmetic.encode(value)),
    field.residue(value)
  )
}
