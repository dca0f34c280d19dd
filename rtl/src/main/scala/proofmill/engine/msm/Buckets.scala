package proofmill.engine.msm

import proofmill.arith.Timing
import spinal.core._
import spinal.lib._

/** The memory of the buckets: two banks, each with a read port and a write port. A read has a latency of `timing.memory` cycles and returns what was
  * written before the cycle of its address.
  */
class Buckets(points: AdditiveGroup, bucketBits: Int, timing: Timing) extends Component {
  val io = new Bundle {

    /** Read ports: an address per bank, always valid. */
    val read = in(Vec(UInt(bucketBits - 1 bits), 2))
    val found = out(Vec(Bits(points.width bits), 2)) // the contents at `read`, `timing.memory` cycles later

    /** Write port: an enable per bank. */
    val write = in(Vec(Bool(), 2))
    val place = in(UInt(bucketBits - 1 bits)) // address of the write, for both banks
    val point = in(Bits(points.width bits)) // content to write, for both banks
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

/** One bank, with the output registers of the block memory and those after it. */
class Bank(width: Int, placeBits: Int, timing: Timing) extends Component {
  val io = new Bundle {
    val read, place = in(UInt(placeBits bits)) // addresses of the read, always valid, and of the write
    val write = in(Bool()) // level: `point` is written to `place` in this cycle
    val point = in(Bits(width bits)) // content to write
    val found = out(Bits(width bits)) // the content at `read`, `timing.memory` cycles later
  }
  val memory = Mem(Bits(width bits), 1 << placeBits)
  memory.write(io.place, io.point, io.write)
  val read = memory.readSync(io.read, readUnderWrite = dontCare)
  io.found := Delay(read, timing.memory - 1)
}
