package proofmill.field

import proofmill.stream.{Port, StreamUnit}
import spinal.core._
import spinal.lib._

/** A sequential inverter of residues other than 0: canonical integer, plus-minus division, and conversion of the quotient to
  * digits. One residue at a time; the result is arbitrary for 0.
  */
class FieldInverter(arithmetic: Arithmetic) extends StreamUnit {
  import arithmetic.{digits, field, product, scale}
  require(scale == 1, s"${field.name}: the inverter is for residues with scale 1")
  def operands: Seq[Port] = Seq(arithmetic.port("a", product))
  def results: Seq[Port] = Seq(arithmetic.port("inverse", product))
  def latency: Option[Int] = None

  private val canonical = new Canonical(arithmetic.port("a", product))
  private val divide = new Quotients(field.modulus, inverse = true)
  canonical.io.in << io.in
  divide.io.in.arbitrationFrom(canonical.io.out)
  divide.io.in.payload := canonical.io.out.payload.takeLow(field.bits)
  if (digits == 1) {
    io.out.arbitrationFrom(divide.io.out)
    io.out.payload := divide.io.out.payload.resized
  } else {
    val encoder = new ResidueEncoder(arithmetic, product)
    encoder.io.in << divide.io.out
    io.out << encoder.io.out
  }
}
