package proofmill.micro

import spinal.core._
import spinal.lib._

/** Registers of one bank for all contexts: one write port, and a copy of the memory for each read port.
  *
  * A read has a latency of one cycle. Values that are written in the same cycle or in the previous one are bypassed; `coming`
  * has their address one cycle ahead.
  */
class RegisterBank(width: Int, depth: Int, readers: Int) extends Component {
  val io = new Bundle {
    val coming = slave(Flow(UInt(log2Up(depth) bits))) // address of a result, one cycle ahead of `data`
    val data = in(Bits(width bits)) // valid one cycle after its address
    val addresses = in(Vec.fill(readers)(UInt(log2Up(depth) bits))) // addresses of reads
    val values = out(Vec.fill(readers)(Bits(width bits))) // values, one cycle after their addresses
  }
  private val write = io.coming.stage()
  private val written = RegNext(io.data)
  for ((address, value) <- io.addresses.zip(io.values)) {
    val memory = Mem(Bits(width bits), depth)
    memory.write(write.payload, io.data, write.valid)
    val comes = RegNext(io.coming.valid && io.coming.payload === address, init = False)
    val came = RegNext(write.valid && write.payload === address, init = False)
    value := comes ? io.data | (came ? written | memory.readSync(address))
  }
}

/** A register's content as an operand: shifted left, optionally tripled, optionally negated; 0 unless `on`. */
case class OperandTerm(digits: Int, width: Int) extends Bundle {
  val value = Bits(digits * width bits)
  val shift = UInt(WordFormat.mul("a_shift").bits bits)
  val triple, minus, on = Bool()
}

/** The sum of two terms, digit by digit, with a latency of two cycles: one for the terms, one for their sum. At most one of
  * them is negated; the sum must fit in `result` bits.
  *
  * @param triples whether the first term can be tripled; then three numbers are added
  */
class TermSum(digits: Int, operand: Int, result: Int, triples: Boolean) extends Component {
  val io = new Bundle {
    val a, b = in(OperandTerm(digits, operand)) // terms
    val sum = out(Bits(digits * result bits)) // their sum, two cycles later
  }
  private def prepared(term: OperandTerm, digit: Int): Bits = {
    val wide = term.value.subdivideIn(digits slices)(digit).asSInt.resize(result)
    val value = (wide << term.shift).resize(result)
    RegNext((term.on ? (term.minus ? ~value | value) | S(0, result bits)).asBits)
  }
  private val minusA = RegNext(io.a.minus && io.a.on)
  private val minus = RegNext((io.a.minus && io.a.on) || (io.b.minus && io.b.on))
  private val twice = RegNext(io.a.triple && io.a.on)
  private val sums = (0 until digits).map { i =>
    val a = prepared(io.a, i)
    val b = prepared(io.b, i)
    if (!triples) add(a, b, minus)
    else {
      // A carry-save adder; -3 v is the sum of two complements, so 1 is added twice.
      val more = (a ## minusA).resize(result) & B(result bits, default -> twice)
      val carries = ((a & b) | (a & more) | (b & more)).resize(result - 1) ## (twice && minusA)
      add(a ^ b ^ more, carries, minus)
    }
  }
  private def add(a: Bits, b: Bits, carry: Bool): Bits = (a.asUInt + b.asUInt + carry.asUInt.resized).asBits
  io.sum := RegNext(Cat(sums))
}
