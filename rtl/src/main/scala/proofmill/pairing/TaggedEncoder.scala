package proofmill.pairing

import proofmill.field.ResidueEncoder
import spinal.core._
import spinal.lib._

/** A [[proofmill.field.ResidueEncoder]] whose integers have tags. */
class TaggedEncoder[T <: Data](arithmetic: Fp2Arithmetic, tag: HardType[T]) extends Component {
  import arithmetic.{base, digits, field, register}
  val io = new Bundle {
    val in = slave(Stream(TaggedInteger(field.bits, tag))) // integers
    val out = master(Stream(TaggedResidue(digits * register.width, tag))) // residues, with the same tag
  }
  private val encoder = new ResidueEncoder(base, register)
  encoder.io.in << io.in.map(_.value)
  io.out.arbitrationFrom(encoder.io.out)
  io.out.residue := encoder.io.out.payload
  io.out.tag := RegNextWhen(io.in.tag, io.in.fire)
}

case class TaggedInteger[T <: Data](bits: Int, tagType: HardType[T]) extends Bundle {
  val value = Bits(bits bits)
  val tag = tagType()
}

case class TaggedResidue[T <: Data](bits: Int, tagType: HardType[T]) extends Bundle {
  val residue = Bits(bits bits)
  val tag = tagType()
}
