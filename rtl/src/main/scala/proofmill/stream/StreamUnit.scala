package proofmill.stream

import spinal.core._
import spinal.lib._

/** An operand or result of a unit: `digits` signed integers of `width` bits, the first one lowest.
  *
  * Over a field they represent `(d(0) + d(1) base + …) / scale mod p`; without a field they are `digits` unsigned numbers. A
  * digit is between `low` and `high`; over a field it is a two's complement number unless `signed` is false.
  */
case class Port(
    name: String,
    width: Int,
    digits: Int = 1,
    field: Option[String] = None,
    base: BigInt = 0,
    scale: BigInt = 1,
    low: BigInt = 0,
    high: BigInt = 0,
    signed: Boolean = true
) {
  def bits: Int = digits * width
}

/** A circuit with one input and one output stream that can be generated alone: for simulation against the model and for area.
  *
  * Operands and results are concatenated in a word, first port lowest.
  */
abstract class StreamUnit extends Component {
  def operands: Seq[Port]
  def results: Seq[Port]

  /** Cycles from an operand to its result, if they are fixed and the unit accepts an operand in every cycle. */
  def latency: Option[Int]

  val io = new Bundle {
    val in = slave(Stream(Bits(operands.map(_.bits).sum bits))) // operands, the first port lowest
    val out = master(Stream(Bits(results.map(_.bits).sum bits))) // results in their order, the first port lowest
  }
}
