package proofmill.shell

import spinal.core._
import spinal.lib._

/** An asynchronous FIFO between two unrelated clocks.
  *
  * Each side counts its own words, one bit wider than an address, and passes the count to the other side in Gray code.
  * Consecutive counts differ in one bit, so a sample during a change is the count before or after. Two consecutive registers
  * (`ASYNC_REG`) resolve metastability. A side receives the other side's count late, so the FIFO can appear fuller to the
  * writer and emptier to the reader than it is, never the opposite. Source: Cummings, "Simulation and Synthesis Techniques
  * for Asynchronous FIFO Design", SNUG 2002, style 1.
  *
  * A word can leave three reader cycles after the writer's edge; one word each cycle (block memory with two clocks). The FIFO
  * holds `depth` words and the offered one. Both sides are reset together: see [[Crossing]].
  *
  * Timing constraint: `set_max_delay -datapath_only` from the counts to their synchronisers, less than a period of the faster
  * clock.
  */
case class AsyncFifo[T <: Data](payload: HardType[T], depth: Int, writer: ClockDomain, reader: ClockDomain)
    extends Component {
  require(isPow2(depth) && depth > 1, s"AsyncFifo: depth $depth is not a power of two above 1")

  val push = slave(Stream(payload())) // words of the writer's clock; not ready: full, as far as the writer knows
  val pop = master(Stream(payload())) // the same words in the reader's clock

  private val countBits = log2Up(depth) + 1
  val memory = Mem(payload(), depth)
  private val written, read = Bits(countBits bits) // in Gray code

  val pushSide = new ClockingArea(writer) {
    val count = Reg(UInt(countBits bits)) init 0
    val gray = Reg(Bits(countBits bits)) init 0
    val sight = Synchroniser.gray(read)
    val seen = sight.here
    // Full: the other count is `depth` behind; its Gray code differs in the two highest bits.
    push.ready := gray =/= (seen ^ B(3 << (countBits - 2), countBits bits))
    memory.write(count.resized, push.payload, enable = push.fire)
    val next = count + push.fire.asUInt
    count := next
    gray := toGray(next)
  }

  val popSide = new ClockingArea(reader) {
    val count = Reg(UInt(countBits bits)) init 0
    val gray = Reg(Bits(countBits bits)) init 0
    val sight = Synchroniser.gray(written)
    val seen = sight.here
    val address = Stream(UInt(log2Up(depth) bits))
    address.valid := gray =/= seen
    address.payload := count.resized
    val next = count + address.fire.asUInt
    count := next
    gray := toGray(next)
    pop << memory.streamReadSync(address, crossClock = true)
  }

  written := pushSide.gray
  read := popSide.gray
}
