package proofmill.arith

import spinal.core._

/** A delay of a fixed number of cycles. Long delays of wide values use a memory, which is smaller than registers and
  * simulates faster.
  */
object Lag {

  /** The longest delay that uses registers. */
  private val few = 3

  def apply[T <: Data](value: T, cycles: Int): T =
    if (cycles <= few) (0 until cycles).foldLeft(value)((v, _) => RegNext(v))
    else {
      val unit = new Lag(value.getBitsWidth, cycles)
      unit.io.in := value.asBits
      val later = cloneOf(value)
      later.assignFromBits(unit.io.out)
      later
    }
}

/** A delay line in a ring buffer: each entry is read `cycles` after its write, before it is overwritten. */
class Lag(width: Int, cycles: Int) extends Component {
  setDefinitionName(s"Lag${width}x$cycles")
  val io = new Bundle {
    val in = spinal.core.in(Bits(width bits)) // value
    val out = spinal.core.out(Bits(width bits)) // value `cycles` cycles before
  }
  private val memory = Mem(Bits(width bits), cycles)
  private val at = Reg(UInt(log2Up(cycles) bits)) init 0
  private val next = (at === cycles - 1) ? U(0) | at + 1
  at := next
  memory.write(at, io.in)
  io.out := memory.readSync(next)
}
