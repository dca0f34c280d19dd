package proofmill.arith

import spinal.core._

/** A value some cycles later. Long waits of wide values pass through a memory, which is smaller than registers and simulates faster. */
object Lag {

  /** Cycles that registers serve better. */
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

/** The memory is a ring: what was written `cycles` ago is read before it is written over. */
class Lag(width: Int, cycles: Int) extends Component {
  setDefinitionName(s"Lag${width}x$cycles")
  val io = new Bundle {
    val in = spinal.core.in(Bits(width bits))
    val out = spinal.core.out(Bits(width bits))
  }
  private val memory = Mem(Bits(width bits), cycles)
  private val at = Reg(UInt(log2Up(cycles) bits)) init 0
  private val next = (at === cycles - 1) ? U(0) | at + 1
  at := next
  memory.write(at, io.in)
  io.out := memory.readSync(next)
}
