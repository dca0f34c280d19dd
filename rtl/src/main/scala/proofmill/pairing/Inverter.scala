package proofmill.pairing

import proofmill.field.{Canonical, Quotients}
import proofmill.stream.Port
import spinal.core._
import spinal.lib._

/** A sequential inverter in Fp, which maps 0 to 0: canonical integer, division by it, and conversion of the quotient to a
  * residue.
  *
  * Each context has at most one inversion in flight.
  */
class Inverter(arithmetic: Fp2Arithmetic, contexts: Int) extends Component {
  import arithmetic.{digits, field, register}
  private def context = HardType(UInt(log2Up(contexts) bits))
  val io = new Bundle {
    val in = slave(Flow(TaggedResidue(digits * register.width, context))) // residues to invert; the tag is the context
    val out = master(Stream(TaggedInteger(field.bits, context))) // canonical inverses, in the same order
  }
  private val residue = io.in.toStream.queue(contexts)
  private val canonical = new Canonical(Inverter.residue(arithmetic))
  canonical.io.in.arbitrationFrom(residue)
  canonical.io.in.payload := Inverter.short(arithmetic, residue.residue)
  private val divisorTag = RegNextWhen(residue.tag, residue.fire)

  private val divisor = canonical.io.out.payload.takeLow(field.bits)
  private val divide = new Quotients(field.modulus, inverse = true)
  divide.io.in.arbitrationFrom(canonical.io.out)
  divide.io.in.payload := divisor
  private val tag = RegNextWhen(divisorTag, divide.io.in.fire)
  private val isZero = RegNextWhen(divisor === 0, divide.io.in.fire)
  io.out.arbitrationFrom(divide.io.out)
  io.out.value := divide.io.out.payload.andMask(!isZero)
  io.out.tag := tag
}

object Inverter {

  /** The format of the results of [[short]]. */
  def residue(arithmetic: Fp2Arithmetic): Port = arithmetic.base.port("residue", arithmetic.base.reduced)

  /** Resizes a register's digits to the width of a reduced sum's digits. */
  def short(arithmetic: Fp2Arithmetic, residue: Bits): Bits =
    Cat(residue.subdivideIn(arithmetic.digits slices).map(_.asSInt.resize(arithmetic.base.reduced.width).asBits))
}
