package proofmill.engine.msm

import proofmill.arith.Timing
import spinal.core._
import spinal.lib._

/** The points in the buckets: two banks, each with a read and a write in every cycle. A read is there `timing.memory` cycles later
  * and has what was written before the cycle of its address.
  */
class Buckets(points: Summands, bucketBits: Int, timing: Timing) extends Component {
  val io = new Bundle {
    val read = in(Vec(UInt(bucketBits - 1 bits), 2))
    val found = out(Vec(Bits(points.width bits), 2))
    val write = in(Vec(Bool(), 2))
    val place = in(UInt(bucketBits - 1 bits))
    val point = in(Bits(points.width bits))
  }
  val banks = (0 until 2).map { bank =>
    val memory = new Bank(points.width, bucketBits - 1, timing)
    memory.io.read := io.read(bank)
    memory.io.write := io.write(bank)
    memory.io.place := io.place
    memory.io.point := io.point
    io.found(bank) := memory.io.found
    memory
  }
}

/** One bank, with the registers that block memories have at their output, and those behind it. */
class Bank(width: Int, placeBits: Int, timing: Timing) extends Component {
  val io = new Bundle {
    val read, place = in(UInt(placeBits bits))
    val write = in(Bool())
    val point = in(Bits(width bits))
    val found = out(Bits(width bits))
  }
  val memory = Mem(Bits(width bits), 1 << placeBits)
  memory.write(io.place, io.point, io.write)
  val read = memory.readSync(io.read, readUnderWrite = dontCare)
  io.found := Delay(read, timing.memory - 1)
}
