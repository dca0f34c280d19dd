package proofmill.engine.msm

import spinal.core._
import spinal.lib._

/** A run on its way to the passes. */
case class QueuedRun(memoryBits: Int) extends Bundle {
  val run = Run(memoryBits)
  val cancelled = Bool()
}

/** Runs that wait, first come first served; any of them may be cancelled, and then goes on as such.
  *
  * A cancel finds the runs that are here in its cycle, the one that leaves among them.
  */
class RunQueue(memoryBits: Int, depth: Int) extends Component {
  val io = new Bundle {
    val push = slave(Stream(Run(memoryBits)))
    val pop = master(Stream(QueuedRun(memoryBits)))
    val cancel = slave(Flow(Bits(64 bits)))
    val found = out(Bool())
  }

  // The oldest run is in place 0; all move down when it leaves.
  val places = Vec.fill(depth)(Reg(QueuedRun(memoryBits)))
  val count = Reg(UInt(log2Up(depth + 1) bits)) init 0
  private val leaves = io.pop.fire
  private val hit = places.zipWithIndex.map { case (place, i) => count > i && place.run.index === io.cancel.payload }
  io.found := hit.orR

  io.push.ready := count =/= depth
  io.pop.valid := count =/= 0
  private val marked = places.zip(hit).map { case (place, hit) =>
    val now = cloneOf(place)
    now.run := place.run
    now.cancelled := place.cancelled || (io.cancel.valid && hit)
    now
  }
  io.pop.payload := marked.head
  when(leaves) {
    for ((place, above) <- places.zip(marked.tail)) place := above
  } otherwise {
    for ((place, now) <- places.zip(marked)) place := now
  }
  when(io.push.fire) {
    val free = count - leaves.asUInt
    for ((place, i) <- places.zipWithIndex) when(free === i) {
      place.run := io.push.payload
      place.cancelled := False
    }
  }
  count := count + io.push.fire.asUInt - leaves.asUInt
}
