package proofmill.shell

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi._

/** Completes every burst of a manager although its subordinate may be reset or hang.
  *
  * {{{
  *            down, or hung
  *   OPEN ──────────────────► SHUT     bursts pass                    │ nothing passes; outstanding and new bursts
  *     ▲                       │                                      │ get SLVERR
  *     └───────────────────────┘
  *      `down` is low, no burst is outstanding
  * }}}
  *
  * The subordinate hangs if a read or a write waits for it for `patience` cycles. Then only its reset opens the firewall again.
  *
  * Bursts pass in order; addresses, read data and responses with a latency of one cycle. The data of a write is accepted after its address, the next
  * write's address with or after the last data; `last` is generated. At most `bursts` reads and `bursts` writes are outstanding. [[MemoryGuard]] is the
  * counterpart for a manager that may be reset.
  *
  * @param bursts   a power of two
  * @param patience cycles, at least two
  */
case class Firewall(config: Axi4Config, bursts: Int = 64, patience: Int = 1 << 16) extends Component {
  require(isPow2(bursts), s"Firewall: $bursts bursts are not a power of two")

  /** The manager's bus; every burst is completed. */
  val manager = slave(Axi4(config))
  val subordinate = master(Axi4(config)) // the subordinate's bus; nothing is offered in SHUT

  /** Level: the subordinate is in reset. */
  val down = in(Bool())
  val hung = out(RegInit(False)) // level: the subordinate hangs; falls with its reset

  private val countBits = log2Up(bursts) + 1
  val shut = RegInit(True)
  val cut = shut || down || hung

  /** Level: from SHUT to OPEN no burst is accepted. */
  val closing = shut && !down && !hung

  // Reads. `lengths`: of outstanding ones, less 1; `beat`: of the oldest one.
  val read = new Area {
    val lengths = Vec(Reg(UInt(8 bits)), bursts)
    val begun, ended = Reg(UInt(countBits bits)) init 0
    val beat = Reg(UInt(8 bits)) init 0
    val some = begun =/= ended
    val room = (begun - ended) =/= bursts
    val address = manager.ar.haltWhen(closing || !room)
    when(address.fire) {
      lengths(begun.resized) := address.len
      begun := begun + 1
    }
    subordinate.ar << address.throwWhen(cut).m2sPipe(flush = cut)

    val data = Stream(Axi4R(config))
    data.valid := cut ? some | subordinate.r.valid
    data.data := subordinate.r.data
    data.resp := cut ? Axi4.resp.SLVERR | subordinate.r.resp
    data.last := beat === lengths(ended.resized)
    subordinate.r.ready := data.ready && !cut
    when(data.fire) {
      beat := data.last ? U(0) | beat + 1
      ended := ended + data.last.asUInt
    }
    manager.r << data.m2sPipe()
  }

  // Writes. `left`: missing data beats of the current write.
  val write = new Area {
    val left = Reg(UInt(9 bits)) init 0
    val open = Reg(UInt(countBits bits)) init 0
    val data = Stream(Axi4W(config))
    val address = manager.aw.haltWhen(closing || open.msb || !(left === 0 || (left === 1 && data.fire)))
    subordinate.aw << address.throwWhen(cut).m2sPipe(flush = cut)

    data.arbitrationFrom(manager.w.haltWhen(left === 0))
    data.data := manager.w.data
    data.strb := manager.w.strb
    data.last := left === 1
    subordinate.w << data.throwWhen(cut).m2sPipe(flush = cut)
    when(data.fire)(left := left - 1)
    when(address.fire)(left := address.len +^ 1)

    val answered = Stream(Axi4B(config))
    val whole = open > (left =/= 0).asUInt // a write has all of its data
    answered.valid := cut ? whole | subordinate.b.valid
    answered.resp := cut ? Axi4.resp.SLVERR | subordinate.b.resp
    subordinate.b.ready := answered.ready && !cut
    open := open + address.fire.asUInt - answered.fire.asUInt
    manager.b << answered.m2sPipe()
  }

  // Timeouts, of reads and writes separately, since progress of one does not prove progress of the other.
  private def late(waits: Bool): Bool = {
    val quiet = Reg(UInt(log2Up(patience + 1) bits)) init 0
    quiet := (waits && !cut) ? (quiet + 1) | U(0)
    quiet === patience
  }
  val readLate = late(read.some && !subordinate.r.valid)
  val writeLate =
    late((write.whole && !subordinate.b.valid) || (subordinate.w.valid && !subordinate.w.ready))
  when(readLate || writeLate)(hung := True)
  when(down)(hung := False)

  val opens = closing && !read.some && write.open === 0
  when(cut)(shut := True)
  when(opens)(shut := False)
}
