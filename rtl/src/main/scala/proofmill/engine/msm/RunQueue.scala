package proofmill.engine.msm

import spinal.core._
import spinal.lib._

/** A queued run. `cancelled`: its reply has the status `cancelled`. */
case class QueuedRun(memoryBits: Int) extends Bundle {
  val run = MsmRun(memoryBits)
  val cancelled = Bool()
}

/** A queue of runs. A cancel marks a run, which stays in its slot.
  *
  * A cancel applies to all runs that are queued in its cycle, including the one that leaves.
  */
class RunQueue(memoryBits: Int, depth: Int) extends Component {
  val io = new Bundle {

    /** Runs; not ready: the queue is full. */
    val push = slave(Stream(MsmRun(memoryBits)))
    val pop = master(Stream(QueuedRun(memoryBits))) // the oldest run, with its mark

    /** The index of a run to cancel. */
    val cancel = slave(Flow(Bits(64 bits)))
    val cancelFound = out(Bool()) // in the cycle of `cancel`: such a run is queued
  }

  // A shift register: the oldest run is in slot 0.
  val slots = Vec.fill(depth)(Reg(QueuedRun(memoryBits)))
  val count = Reg(UInt(log2Up(depth + 1) bits)) init 0
  private val leaves = io.pop.fire
  private val hit = slots.zipWithIndex.map { case (slot, i) => count > i && slot.run.index === io.cancel.payload }
  io.cancelFound := hit.orR

  io.push.ready := count =/= depth
  io.pop.valid := count =/= 0
  private val marked = slots.zip(hit).map { case (slot, hit) =>
    val now = cloneOf(slot)
    now.run := slot.run
    now.cancelled := slot.cancelled || (io.cancel.valid && hit)
    now
  }
  io.pop.payload := marked.head
  when(leaves) {
    for ((slot, above) <- slots.zip(marked.tail)) slot := above
  } otherwise {
    for ((slot, now) <- slots.zip(marked)) slot := now
  }
  when(io.push.fire) {
    val free = count - leaves.asUInt
    for ((slot, i) <- slots.zipWithIndex) when(free === i) {
      slot.run := io.push.payload
      slot.cancelled := False
    }
  }
  count := count + io.push.fire.asUInt - leaves.asUInt
}
