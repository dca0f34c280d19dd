package proofmill.micro

import spinal.core._
import spinal.lib._

/** Registers of one bank for all contexts: one writer, and a copy of the memory for each reader.
  *
  * A reader's value is there in the cycle after its address; a value written in a cycle is seen by addresses of later cycles.
  */
class RegisterBank(width: Int, depth: Int, readers: Int) extends Component {
  val io = new Bundle {
    val write = slave(Flow(MemoryWrite(width, depth)))
    val addresses = in(Vec.fill(readers)(UInt(log2Up(depth) bits)))
    val values = out(Vec.fill(readers)(Bits(width bits)))
  }
  for ((address, value) <- io.addresses.zip(io.values)) {
    val memory = Mem(Bits(width bits), depth)
    memory.write(io.write.address, io.write.data, io.write.valid)
    value := memory.readSync(address)
  }
}

case class MemoryWrite(width: Int, depth: Int) extends Bundle {
  val address = UInt(log2Up(depth) bits)
  val data = Bits(width bits)
}

/** A register's content as an operand: shifted left, and perhaps negated; nothing if it is not `on`. */
case class OperandTerm(digits: Int, width: Int) extends Bundle {
  val value = Bits(digits * width bits)
  val shift = UInt(WordFormat.mul("a_shift").bits bits)
  val minus, on = Bool()
}

/** The sum of two terms, digit by digit, a cycle later. At most one of them is negated; the sum must fit `result` bits. */
class TermSum(digits: Int, operand: Int, result: Int) extends Component {
  val io = new Bundle {
    val a, b = in(OperandTerm(digits, operand))
    val sum = out(Bits(digits * result bits))
  }
  private val carry = (io.a.minus && io.a.on) || (io.b.minus && io.b.on)

  private def shifted(term: OperandTerm, digit: Int): SInt = {
    val value = (term.value.subdivideIn(digits slices)(digit).asSInt.resize(result) << term.shift).resize(result)
    term.on ? (term.minus ? ~value | value) | S(0, result bits)
  }
  private val sums = (0 until digits).map { i =>
    shifted(io.a, i) + shifted(io.b, i) + (U(0, result - 1 bits) @@ carry.asUInt).asSInt
  }
  io.sum := RegNext(Cat(sums))
}
