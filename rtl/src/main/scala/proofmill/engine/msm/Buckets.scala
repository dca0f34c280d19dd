package proofmill.engine.msm

import proofmill.arith.{BlockMemory, Timing}
import spinal.core._

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
    val memory = new BlockMemory(points.width, bucketBits - 1, timing)
    memory.io.read := io.read(bank)
    memory.io.write := io.write(bank)
    memory.io.place := io.place
    memory.io.content := io.point
    io.found(bank) := memory.io.found
    memory
  }
}
