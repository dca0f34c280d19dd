package proofmill.formal

import proofmill.shell.PacketFifo
import spinal.core._
import spinal.lib._

/** The words that leave a packet FIFO are exactly those that entered and were committed, in order and within a bounded time.
  *
  * The reference beside the FIFO: `words` in order, the first `whole` of them of complete packets.
  */
class PacketFifoProof(depth: Int) extends Component with Proof {
  val dut = PacketFifo(Bits(1 bits), depth)
  val push = freeSource(dut.push)
  val pop = freeSink(dut.pop)
  val rollback = freeInput(dut.rollback)

  val size = depth + 1 // the FIFO's memory and its output register
  val words = Vec(Reg(Bits(2 bits)) init 0, size)
  val whole, total = Reg(UInt(log2Up(size + 1) bits)) init 0
  val popped = U(pop.fire)
  val place = total - popped

  when(pop.fire)(for (i <- 0 until size - 1) (words(i) := words(i + 1)))
  total := place
  whole := whole - popped
  when(rollback) {
    total := whole - popped
  } elsewhen (push.fire) {
    for (i <- 0 until size) when(place === i)(words(i) := push.fragment ## push.last)
    total := place + 1
    when(push.last)(whole := place + 1)
  }

  assert(total <= size, "no more words than places")
  assert(!pop.valid || whole =/= 0, "nothing leaves before its packet is whole")
  assert(!pop.valid || (pop.fragment ## pop.last) === words(0), "the oldest word leaves, unchanged")
  assert(push.ready || total >= depth, "ready while there is room")
  assert(dut.empty === (whole === 0), "empty says whether a whole packet waits")

  // An invariant between the FIFO's pointers and the two counts: redundant, but shortens the proof.
  val leaving = U(pop.valid)
  assert(whole === (dut.committed.pull() - dut.read.pull() + leaving), "whole words lie between read and committed")
  assert(total === (dut.write.pull() - dut.read.pull() + leaving), "all words lie between read and write")

  responds("a whole packet can leave", whole =/= 0, pop.valid, within = 1)
  staysOffered("pop", pop)
}
