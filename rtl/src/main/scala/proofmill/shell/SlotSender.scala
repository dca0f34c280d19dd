package proofmill.shell

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi._

/** Sends streams as pages, which PCIM writes into the host's slots.
  *
  *   1. PICK: selects a stream, round robin, that has a complete page and a free slot of the host.
  *   2. PLACE: registers the address.
  *   3. ADDRESS, DATA, ANSWER: one burst. All of its data is available, so it never stalls.
  *   4. The same for the line with the page's descriptor.
  *
  * When `open` falls, the outstanding burst is completed and everything else is discarded. After a `fault` nothing begins until `open` has fallen.
  */
class SlotSender(slots: Int) extends Component {
  import SlotRings._

  /** Lines to send. */
  val streams = Vec.fill(SlotRings.streams)(slave(packets))

  /** Number of the current session. */
  val session = in(UInt(16 bits))
  val open = in(Bool()) // level: the session is open; otherwise lines are discarded
  val base = in(UInt(64 bits)) // the host's address of its slots, a multiple of 4096

  /** Per stream a pulse with the number of pages that the host has read. */
  val freed = Vec.fill(SlotRings.streams)(slave(Flow(UInt(16 bits))))
  val read = out(Vec.fill(SlotRings.streams)(UInt(16 bits))) // per stream the last valid number of `freed`

  /** Writes to the host's memory. */
  val pcim = master(Axi4(SlotRings.pcim))

  /** Level: a burst is outstanding. */
  val busy = out(Bool())
  val fault = out(RegInit(False)) // level: a write had an error; falls when the session is closed

  object State extends SpinalEnum { val PICK, PLACE, ADDRESS, DATA, ANSWER = newElement() }
  val state = RegInit(State.PICK)
  busy := state =/= State.PICK
  private val forget = !open && !busy

  /** The end of a page. */
  case class End() extends Bundle {
    val last = Bool() // of its transfer
    val lines = UInt(log2Up(SlotRings.lines) bits) // less 1
    val some = UInt(log2Up(bytes + 1) bits) // bytes of the last line
    def count: UInt = (lines << log2Up(bytes)) +^ some
  }

  /** The queue of a stream's pages, and the numbers of those written and read. */
  private class Collector(s: Int) extends Area {
    private val depth = 2 * SlotRings.lines
    val data = StreamFifo(Bits(8 * bytes bits), depth)
    val ends = StreamFifo(End(), depth) // never fuller than `data`, since an end leaves first
    data.io.flush := forget
    ends.io.flush := forget

    // Registered: space for a line, one in the input register and one that is not counted yet. Lines outside of a session are discarded.
    private val room = RegNext(data.io.availability > 2) init False
    streams(s).ready := room || !open
    private val came = RegNext(streams(s).fire && open) init False
    private val beat = RegNext(streams(s).payload)
    private val some = RegNext(CountOne(streams(s).fragment.keep))
    val at = Reg(UInt(log2Up(SlotRings.lines) bits)) init 0
    val whole = beat.last || at.andR
    data.io.push.valid := came
    data.io.push.payload := beat.data
    ends.io.push.valid := came && whole
    ends.io.push.last := beat.last
    ends.io.push.lines := at
    ends.io.push.some := some
    when(came)(at := whole ? U(0) | at + 1)

    val written = Reg(UInt(16 bits)) init 0
    val read = Reg(UInt(16 bits)) init 0
    when(freed(s).valid && freed(s).payload - read <= written - read)(read := freed(s).payload)
    when(!open) {
      at := 0
      written := 0
      read := 0
    }
    val ready = ends.io.pop.valid && written - read =/= slots
  }
  private val collectors = (0 until SlotRings.streams).map(s => new Collector(s))
  for ((count, collector) <- read.zip(collectors)) count := collector.read

  // The current page, of stream `which`; `describing`: its descriptor is sent.
  val which = RegInit(False)
  val describing = Reg(Bool())
  val end = Reg(End())
  val owner = Reg(UInt(16 bits)) // its session, also after another one is opened
  val number = Reg(UInt(16 bits))
  val address = Reg(UInt(64 bits))
  val left = Reg(UInt(log2Up(SlotRings.lines) bits)) // lines of the burst, less 1
  private val Seq(first, second) = collectors.map(_.ready)
  private val begins = state === State.PICK && open && !fault && (first || second)
  private val choice = second && (!which || !first)
  for ((collector, s) <- collectors.zipWithIndex)
    collector.ends.io.pop.ready := begins && choice === Bool(s == 1)

  private def places(region: Region): UInt = {
    val slot = number.resize(log2Up(slots) bits) << log2Up(region.slot)
    val first = U(region.base, log2Up(roomBytes) bits)
    (which ? (first + region.stride) | first) | slot.resize(log2Up(roomBytes) bits)
  }
  val descriptor = Descriptor()
  descriptor.session := owner
  descriptor.number := number
  descriptor.bytes := end.count.resized
  descriptor.last := end.last.asUInt.resized

  pcim.ar.valid := False
  pcim.ar.payload.assignFromBits(B(0, pcim.ar.payload.getBitsWidth bits))
  pcim.r.ready := True
  pcim.aw.valid := state === State.ADDRESS
  pcim.aw.addr := address
  pcim.aw.len := left.resized
  pcim.aw.size := log2Up(bytes)
  pcim.aw.setBurstINCR()
  pcim.w.valid := state === State.DATA
  pcim.w.data := describing ? descriptor.written.resize(8 * bytes) | (which ? collectors(
    1
  ).data.io.pop.payload | collectors(0).data.io.pop.payload)
  pcim.w.strb.setAll()
  pcim.w.last := left === 0
  pcim.b.ready := state === State.ANSWER
  for ((collector, s) <- collectors.zipWithIndex)
    collector.data.io.pop.ready := state === State.DATA && pcim.w.ready && !describing && which === Bool(s == 1)

  switch(state) {
    is(State.PICK) {
      when(begins) {
        which := choice
        owner := session
        end := choice ? collectors(1).ends.io.pop.payload | collectors(0).ends.io.pop.payload
        number := choice ? collectors(1).written | collectors(0).written
        describing := False
        state := State.PLACE
      }
    }
    is(State.PLACE) {
      address := base + (describing ? places(descriptors) | places(pages))
      left := describing ? U(0) | end.lines
      state := State.ADDRESS
      // Counted before it is sent, since the host may free it before the response.
      for ((collector, s) <- collectors.zipWithIndex)
        when(describing && which === Bool(s == 1))(collector.written := collector.written + 1)
    }
    is(State.ADDRESS)(when(pcim.aw.ready)(state := State.DATA))
    is(State.DATA) {
      when(pcim.w.ready) {
        left := left - 1
        when(left === 0)(state := State.ANSWER)
      }
    }
    is(State.ANSWER) {
      when(pcim.b.valid) {
        describing := True
        state := State.PICK
        when(!describing && open)(state := State.PLACE)
        when(pcim.b.resp =/= Axi4.resp.OKAY) {
          fault := True
          state := State.PICK
        }
      }
    }
  }
  when(forget)(fault := False)
}
