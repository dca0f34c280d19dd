package proofmill.shell

import proofmill.stream.Beat
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi._

/** Receives pages that the host writes over PCIS into the card's slots, and sends them as streams.
  *
  * Every write is accepted at one line per cycle, independently of the streams; lines of another session, or outside of the slots, are discarded. Reads
  * return zeros. Per stream, the next slot is polled until its descriptor has the current session and the expected number; then the page is sent,
  * and `taken` counts it when its last line has left the slot. A descriptor with an invalid number of bytes is counted and `refused`.
  *
  * @param slots of a ring, a power of two
  */
class SlotReceiver(slots: Int, space: SlotRings.AddressSpace = SlotRings.card) extends Component {
  import SlotRings.{Descriptor, Region}
  import space.{bytes, lines}
  require(isPow2(slots) && slots > 1 && slots <= SlotRings.mostSlots, s"SlotReceiver: $slots slots")

  /** Writes of the host. */
  val pcis = slave(Axi4(space.pcis))

  /** Number of the current session. */
  val session = in(UInt(16 bits))
  val open = in(Bool()) // level: the session is open; otherwise lines are discarded

  /** Per stream its lines. */
  val streams = Vec.fill(SlotRings.streams)(master(space.packets))
  val taken = out(Vec.fill(SlotRings.streams)(UInt(16 bits))) // per stream the pages sent or refused, mod 2^16

  /** Pulse: a descriptor was refused. */
  val refused = out(Bool())

  private val lineBits = log2Up(bytes)
  private val roomBits = log2Up(space.all)

  // Writes, in the order of their addresses.
  val write = new Area {
    val busy, answering = RegInit(False)
    val address = Reg(UInt(roomBits + 17 bits)) // as wide as BAR4
    val id, answer = Reg(cloneOf(pcis.aw.id))
    pcis.w.ready := busy && (!answering || pcis.b.ready)
    val done = pcis.w.fire && pcis.w.last
    pcis.aw.ready := !busy || done
    when(done) {
      busy := False
      answer := id
    }
    when(pcis.w.fire)(address := address + bytes)
    when(pcis.aw.fire) {
      busy := True
      address := pcis.aw.addr.resized
      id := pcis.aw.id
    }
    answering := done || (answering && !pcis.b.ready)
    pcis.b.valid := answering
    pcis.b.id := answer
    pcis.b.setOKAY()
  }

  // Lines of the current session.
  val placed = new Area {
    val valid = RegNext(pcis.w.fire && open && (write.address >> roomBits) === session) init False
    val line = RegNext(write.address(roomBits - 1 downto lineBits))
    val data = RegNext(pcis.w.data)
    val words = RegNext(pcis.w.strb.subdivideIn(8 bits).map(_.andR).asBits())

    /** A line of this stream's slots in a region is written, and which. */
    def in(region: Region, s: Int): (Bool, UInt) = {
      val first = (region.base + s * region.stride) / bytes
      val count = slots * region.slot / bytes
      val high = line >> log2Up(count) // both are powers of two
      (valid && high === first / count, line.resize(log2Up(count) bits))
    }
  }

  // Reads: zeros.
  val read = new Area {
    val left = Reg(UInt(9 bits)) init 0
    val id = Reg(cloneOf(pcis.ar.id))
    pcis.ar.ready := left === 0
    when(pcis.ar.fire) {
      left := pcis.ar.len +^ 1
      id := pcis.ar.id
    }
    pcis.r.valid := left =/= 0
    pcis.r.data := 0
    pcis.r.id := id
    pcis.r.last := left === 1
    pcis.r.setOKAY()
    when(pcis.r.fire)(left := left - 1)
  }

  class Ring(s: Int) extends Area {
    val descriptors = Mem(Bits(64 bits), slots)
    val pages = Mem(Bits(8 * bytes bits), slots * lines)
    val (describes, slot) = placed.in(space.descriptors, s)
    val (fills, place) = placed.in(space.pages, s)
    val described = describes && placed.words(0)
    descriptors.write(slot, placed.data.takeLow(64), enable = described)
    pages.write(place, placed.data, enable = fills, mask = placed.words)

    // Descriptors of older sessions, and those at power-up, are invalid.
    val there = Reg(Bits(slots bits)) init 0
    when(described)(there(slot) := True)
    when(!open)(there := 0)

    val number = Reg(UInt(16 bits)) init 0
    val seen = Descriptor()
    seen.read(descriptors.readAsync(number.resized))

    // A page in transit: remaining bytes, and its next line.
    val passing, last = RegInit(False)
    val left = Reg(UInt(log2Up(space.pages.slot + 1) bits))
    val at = Reg(UInt(log2Up(lines) bits))
    val here =
      open && !passing && there(number.resize(log2Up(slots) bits)) && seen.session === session && seen.number === number
    val possible =
      seen.bytes =/= 0 && seen.bytes <= space.pages.slot && (seen.last(0) || seen.bytes(
        lineBits - 1 downto 0
      ) === 0)
    when(here) {
      left := seen.bytes.resized
      last := seen.last(0)
      at := 0
      passing := possible
    }
    val ask = Stream(UInt(log2Up(slots * lines) bits))
    val ends = left <= bytes
    ask.valid := passing && open
    ask.payload := number.resize(log2Up(slots) bits) @@ at
    when(ask.fire) {
      left := left - bytes
      at := at + 1
      when(ends)(passing := False)
    }
    val refuses = here && !possible
    when(refuses || (ask.fire && ends))(number := number + 1)
    when(!open) {
      passing := False
      number := 0
    }

    case class About() extends Bundle {
      val some = UInt(lineBits + 1 bits) // bytes of the line
      val last = Bool()
    }
    val about = About()
    about.some := (ends ? left | U(bytes, left.getWidth bits)).resized
    about.last := ends && last
    val read = pages.streamReadSync(ask, about)
    val line = cloneOf(streams(s))
    line.arbitrationFrom(read)
    line.data := read.value
    line.keep := (0 until bytes).map(i => read.linked.some > i).asBits()
    line.last := read.linked.last
    // Registers in both directions: the reader of a line depends on its bytes, and the memory of the pages is wide.
    streams(s) << line.s2mPipe().m2sPipe().throwWhen(!open)
    taken(s) := number
  }
  val rings = (0 until SlotRings.streams).map(s => new Ring(s))
  refused := rings.map(_.refuses).orR
}
