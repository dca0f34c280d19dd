package proofmill.engine.msm

import proofmill.arith.{BlockMemory, Timing}
import spinal.core._

/** The memory of the buckets: two banks, each with a read port and a write port. A read has a latency of `timing.memory` cycles and returns what was
  * written before the cycle of its address.
  */
class Buckets(width: Int, bucketBits: Int, timing: Timing) extends Component {
  val io = new Bundle {

    /** Read ports: an address per bank, always valid. */
    val read = in(Vec(UInt(bucketBits - 1 bits), 2))
    val found = out(Vec(Bits(width bits), 2)) // the contents at `read`, `timing.memory` cycles later

    /** Write ports: an enable, an address and a content per bank. */
    val write = in(Vec(Bool(), 2))
    val place = in(Vec(UInt(bucketBits - 1 bits), 2)) // addresses of the writes
    val point = in(Vec(Bits(width bits), 2)) // contents to write
  }
  val banks = (0 until 2).map { bank =>
    val memory = new BlockMemory(width, bucketBits - 1, timing)
    memory.io.read := io.read(bank)
    memory.io.write := io.write(bank)
    memory.io.place := io.place(bank)
    memory.io.content := io.point(bank)
    io.found(bank) := memory.io.found
    memory
  }
}
