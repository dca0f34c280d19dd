package proofmill.engine.poseidon

import proofmill.arith.{Timed, BehaviouralModel, ModelFunction}
import proofmill.field._
import spinal.core._

/** Converts integers of `PoseidonEntry.bits` bits into elements, one per cycle: the residue of the integer divided by `divisor`, plus a constant. */
class PoseidonEntry(residues: Residues, divisor: BigInt) extends Component {
  import residues.{bound, digitBits, digits, elementBits}
  val io = new Bundle {

    /** An integer, a new one in every cycle. */
    val value = in(Bits(PoseidonEntry.bits bits))
    val constant = in(Bits(elementBits bits)) // the constant that is added, valid with `value`
    val element = out(Bits(elementBits bits)) // the converted element plus the constant, `latency` cycles later
  }
  setDefinitionName(if (divisor == 1) "PoseidonEntry" else "PoseidonEntryDivided")

  private val reduction = EntrySteps(residues.arithmetic.field, residues.options, divisor)
  private val operands = Bound.unsigned(PoseidonEntry.bits) +: Seq.fill(digits)(bound)
  val latency: Int = reduction.latency(operands.map(Ready(_, 0)))
  require(reduction.result(operands).within(bound), "an integer's digits are too long")

  private def structure = {
    val value = Number(Timed((False ## io.value).asSInt, 0), operands.head)
    val constant = Residue(io.constant, digits, bound, 0).digits.map(Number(_, bound))
    ModMul.together(reduction.build(value +: constant), latency, bound)
  }
  private def model = {
    val cpp = new ModelText(PoseidonEntry.bits / 64 + 1)
    val words = PoseidonEntry.bits / 64 + 1
    val value = cpp.let(s"load<$words>(in0, 0, ${PoseidonEntry.bits}).low(${PoseidonEntry.bits})")
    val constant = (0 until digits).map(i => cpp.let(s"load<$words>(in1, ${i * digitBits}, $digitBits)"))
    Linear.store(reduction, (value +: constant).zip(operands), residues, cpp)
    val function = ModelFunction(
      if (divisor == 1) "poseidon_entry" else "poseidon_entry_divided",
      Seq(PoseidonEntry.bits, elementBits),
      elementBits,
      cpp.text
    )
    BehaviouralModel(function, latency, Timed(io.value, 0), Timed(io.constant, 0)).value
  }
  io.element := (if (residues.options.model) model else structure)
}

object PoseidonEntry {

  /** Bits of an integer. */
  val bits = 256
}
