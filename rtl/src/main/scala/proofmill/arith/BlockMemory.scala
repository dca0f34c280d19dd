package proofmill.arith

import spinal.core._
import spinal.lib._

/** A memory with a read port and a write port, with the output registers of the block memory and those after it. A read
  * returns what was written before the cycle of its address.
  */
class BlockMemory(width: Int, addressBits: Int, timing: Timing = Timing()) extends Component {
  val io = new Bundle {
    val read, place = in(UInt(addressBits bits)) // addresses of the read, always valid, and of the write
    val write = in(Bool()) // level: `content` is written to `place` in this cycle
    val content = in(Bits(width bits)) // content to write
    val found = out(Bits(width bits)) // the content at `read`, `timing.memory` cycles later
  }
  val memory = Mem(Bits(width bits), 1 << addressBits)
  memory.write(io.place, io.content, io.write)
  val read = memory.readSync(io.read, readUnderWrite = dontCare)
  io.found := Delay(read, timing.memory - 1)
}
