package proofmill.shell

import spinal.core._
import spinal.lib._

/** A FIFO of whole packets: a packet is visible at `pop` only after its last word was pushed.
  *
  * `rollback` (pulse) removes the words of the incomplete packet, including that of the same cycle. A packet has at most
  * `depth` words. The latency from the last word to the first one at `pop` is two cycles (block memory).
  *
  * Three pointers, one bit wider than an address, keep the order read <= committed <= write <= read + depth:
  * {{{
  *   read ........ committed ........ write
  *        whole packets      packet in progress
  * }}}
  */
case class PacketFifo[T <: Data](payload: HardType[T], depth: Int) extends Component {
  require(isPow2(depth) && depth > 1, s"PacketFifo: depth $depth is not a power of two above 1")

  val push = slave(Stream(Fragment(payload()))) // words of packets; not ready: full
  val rollback = in(Bool()) // pulse: removes the words of the incomplete packet, including that of the same cycle
  val pop = master(Stream(Fragment(payload()))) // words of whole packets only

  /** No whole packet and no word of one is waiting. */
  val empty = out(Bool())

  private val memory = Mem(Fragment(payload()), depth)
  val write, committed, read = Reg(UInt(log2Up(depth) + 1 bits)) init 0

  push.ready := (write ^ read) =/= depth
  memory.write(write.resized, push.payload, enable = push.fire)

  val next = write + 1
  when(rollback) {
    write := committed
  } elsewhen (push.fire) {
    write := next
    when(push.last)(committed := next)
  }

  val address = Stream(UInt(log2Up(depth) bits))
  address.valid := read =/= committed
  address.payload := read.resized
  when(address.fire)(read := read + 1)

  pop << memory.streamReadSync(address)
  empty := !address.valid && !pop.valid
}
