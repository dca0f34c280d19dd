package proofmill.pairing

import proofmill.arith.{Pace, Price, Timing}
import proofmill.field.Options
import proofmill.spec.{Field => PrimeField}

/** The pairing processor of BLS12-381: its arithmetic, its programs and the number of contexts.
  *
  * Each multiplier has 162 tiles. A single job is bound by latency, so tables are read in parallel and carry chains are long.
  *
  * @param model behavioural multipliers
  */
class PairingMachine(model: Boolean) {
  val contexts = 8
  val curve = "bls12_381"
  val field: PrimeField = PrimeField("bls12_381_fp")
  val arithmetic = new Fp2Arithmetic(
    field,
    Options(
      Price(250, pace = Pace(chain = Timing.coefficients.chain, levels = 4, joined = true), columns = false),
      chain = 1,
      model = model
    )
  )
  val image: Image = Image(Source(curve), arithmetic.latency)
  val constants: Seq[(BigInt, BigInt)] = image.constants.map(Constants(field)(_))

  /** Returns the number of a program. */
  def program(name: String): Int =
    image.entries.indexWhere(_.name == name).ensuring(_ >= 0, s"spec/pairing/$curve.asm has no entry $name")
  def processor(slotBits: Int) = new PairingProcessor(arithmetic, image, constants, contexts, slotBits)
}
