package proofmill.pairing

import proofmill.field.Quotients
import proofmill.micro.{Canonical, CanonicalRequest}
import spinal.core._
import spinal.lib._

/** Inverses in Fp, one after the other, 0 for 0: the canonical integer, division by it, and the residue of the quotient.
  *
  * A context has at most one of them under way.
  */
class Inverter(arithmetic: Fp2Arithmetic, contexts: Int) extends Component {
  import arithmetic.{digits, field, register}
  private def context = HardType(UInt(log2Up(contexts) bits))
  val io = new Bundle {
    val in = slave(Flow(TaggedResidue(digits * register.width, context)))
    val out = master(Stream(TaggedInteger(field.bits, context)))
  }
  private val canonical = new Canonical(arithmetic.base, contexts)
  canonical.io.fromOldest.setAll()
  canonical.io.request.valid := io.in.valid
  canonical.io.request.context := io.in.tag
  canonical.io.request.place := 0
  canonical.io.request.residue := Inverter.short(arithmetic, io.in.residue)

  private val found = Stream(TaggedInteger(field.bits, context))
  found.valid := canonical.io.answer.valid
  found.value := canonical.io.answer.value
  found.tag := canonical.io.answer.context
  private val divisor = found.queue(contexts)
  private val divide = new Quotients(field.modulus)
  divide.io.in.arbitrationFrom(divisor)
  divide.io.in.payload := divisor.value ## B(1, field.bits bits) ## B(0, field.bits bits)
  private val tag = RegNextWhen(divisor.tag, divisor.fire)
  private val isZero = RegNextWhen(divisor.value === 0, divisor.fire)
  io.out.arbitrationFrom(divide.io.out)
  io.out.value := divide.io.out.payload.takeHigh(field.bits).andMask(!isZero)
  io.out.tag := tag
}

object Inverter {

  /** A register's digits, each as wide as a reduced sum's. */
  def short(arithmetic: Fp2Arithmetic, residue: Bits): Bits =
    Cat(residue.subdivideIn(arithmetic.digits slices).map(_.asSInt.resize(arithmetic.base.reduced.width).asBits))
}
