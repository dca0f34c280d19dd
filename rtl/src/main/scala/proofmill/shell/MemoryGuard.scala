package proofmill.shell

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi._

/** Isolates an engine's memory channel, so that the engine can be reset at any time.
  *
  * The guard is not reset with the engine. While `blocked` is high, as it is during the engine's reset, nothing passes, and outstanding bursts are
  * completed: writes with data without byte enables, read data and responses are discarded.
  *
  * Bursts pass in order with a latency of one cycle. The data of a write is accepted after its address, the next write's address with or after the last
  * data; `last` is generated. At most `bursts` reads and `bursts` writes are outstanding.
  *
  * @param bursts a power of two
  */
case class MemoryGuard(config: Axi4Config, bursts: Int = 64) extends Component {
  require(isPow2(bursts), s"MemoryGuard: $bursts bursts are not a power of two")

  /** The engine's channel. */
  val engine = slave(Axi4(config))
  val memory = master(Axi4(config)) // the memory's channel; every burst that begins on it is completed

  /** Level: nothing passes, as during the engine's reset. */
  val blocked = in(Bool())
  val busy = out(Bool()) // level: a burst is outstanding; a reset of the engine may end when it is low

  /** Counts outstanding bursts, at most `bursts`. */
  class Open(begin: Bool, end: Bool) extends Area {
    val count = Reg(UInt(log2Up(bursts) + 1 bits)) init 0
    count := count + begin.asUInt - end.asUInt
    val some = count =/= 0
    val room = !count.msb
  }

  // Reads.
  val read = new Area {
    val begin, end = Bool()
    val open = new Open(begin, end)
    val address = engine.ar.haltWhen(blocked || !open.room)
    begin := address.fire
    memory.ar << address.m2sPipe()

    engine.r.valid := memory.r.valid && !blocked
    engine.r.payload := memory.r.payload
    memory.r.ready := engine.r.ready || blocked
    end := memory.r.fire && memory.r.last
  }

  // Writes. `left`: missing data beats of the current write.
  val write = new Area {
    val left = Reg(UInt(9 bits)) init 0
    val data = Stream(Axi4W(config))
    val begin, end = Bool()
    val open = new Open(begin, end)
    val address = engine.aw.haltWhen(blocked || !open.room || !(left === 0 || (left === 1 && data.fire)))
    begin := address.fire
    memory.aw << address.m2sPipe()

    data.valid := left =/= 0 && (engine.w.valid || blocked)
    data.data := engine.w.data
    data.strb := blocked ? B(0) | engine.w.strb
    data.last := left === 1
    engine.w.ready := data.ready && left =/= 0 && !blocked
    memory.w << data.m2sPipe()
    when(data.fire)(left := left - 1)
    when(begin)(left := engine.aw.len +^ 1)

    engine.b.valid := memory.b.valid && !blocked
    engine.b.payload := memory.b.payload
    memory.b.ready := engine.b.ready || blocked
    end := memory.b.fire
  }

  busy := read.open.some || write.open.some
}
