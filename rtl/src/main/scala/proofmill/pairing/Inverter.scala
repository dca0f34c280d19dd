package proofmill.pairing

import proofmill.field.{Canonical, Quotients}
import proofmill.stream.Port
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
  private val residue = io.in.toStream.queue(contexts)
  private val canonical = new Canonical(Inverter.residue(arithmetic))
  canonical.io.in.arbitrationFrom(residue)
  canonical.io.in.payload := Inverter.short(arithmetic, residue.residue)
  private val divisorTag = RegNextWhen(residue.tag, residue.fire)

  private val divisor = canonical.io.out.payload.takeLow(field.bits)
  private val divide = new Quotients(field.modulus)
  divide.io.in.arbitrationFrom(canonical.io.out)
  divide.io.in.payload := divisor ## B(1, field.bits bits) ## B(0, field.bits bits)
  private val tag = RegNextWhen(divisorTag, divide.io.in.fire)
  private val isZero = RegNextWhen(divisor === 0, divide.io.in.fire)
  io.out.arbitrationFrom(divide.io.out)
  io.out.value := divide.io.out.payload.takeHigh(field.bits).andMask(!isZero)
  io.out.tag := tag
}

object Inverter {

  /** What [[short]] makes. */
  def residue(arithmetic: Fp2Arithmetic): Port = arithmetic.base.port("residue", arithmetic.base.reduced)

  /** A register's digits, each as wide as a reduced sum's. */
  def short(arithmetic: Fp2Arithmetic, residue: Bits): Bits =
    Cat(residue.subdivideIn(arithmetic.digits slices).map(_.asSInt.resize(arithmetic.base.reduced.width).asBits))
}
