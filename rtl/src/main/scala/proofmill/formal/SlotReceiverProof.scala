package proofmill.formal

import proofmill.shell.SlotReceiver
import proofmill.shell.SlotRings.{Descriptor, Region, AddressSpace}
import spinal.core._
import spinal.lib._

/** A page with a descriptor of the present session and the expected number is sent once, line by line, with the data of its
  * slot, and is counted. No other page is sent, and the page is sent within a bounded time.
  *
  * The proof begins at the register with a line that the host has written and its position. The host follows the protocol of
  * the ring: it does not write a slot whose page is described and not taken. Its writes to other addresses, with other
  * sessions and numbers, are free; so are closing and opening of the rings, each for some cycles at least. Only the lowest
  * bit of a line's data is compared.
  */
class SlotReceiverProof extends Component with Proof {
  private val slots = 2
  private val room =
    AddressSpace(
      bytes = 8,
      all = 128,
      Region(base = 0, stride = 16, slot = 8),
      Region(base = 64, stride = 32, slot = 16)
    )
  private val lineBits = log2Up(room.bytes)
  val dut = new SlotReceiver(slots, room)
  val pcis = slave(cloneOf(dut.pcis))
  dut.pcis << pcis
  val session = freeInput(dut.session)
  val open = freeInput(dut.open)
  val outs = dut.streams.map(freeSink(_))
  private val out = outs(0)

  private val wasOpen = RegNext(open) init False
  private val closed = Reg(UInt(3 bits)) init 0
  closed := open ? U(0) | (closed.andR ? closed | closed + 1)
  assume(!(open && !wasOpen) || closed.andR)
  assume(!(open && wasOpen) || session === RegNext(session))

  // The ring as the host uses it.
  private val ring = dut.rings(0)
  private val (describes, slot) = (ring.described.pull(), ring.slot.pull())
  private val (fills, place) = (ring.fills.pull(), ring.place.pull())
  private val data = dut.placed.data.pull()
  private val touched = ring.describes.pull()
  val described = Vec(Reg(Bits(64 bits)) init 0, slots)
  val there = Vec(Reg(Bool()) init False, slots)
  val bits, known = Vec(Reg(Bool()) init False, slots * room.lines) // known: it was ever written
  when(describes) {
    described(slot) := data
    there(slot) := True
  }
  when(!open)(there.foreach(_ := False))
  when(fills && dut.placed.words.pull()(0)) {
    bits(place) := data(0)
    known(place) := True
  }

  // The part that was sent.
  val number = Reg(UInt(16 bits)) init 0
  val at = Reg(UInt(log2Up(room.lines) bits)) init 0
  private def pending(k: Int): Bool = {
    val it = Descriptor()
    it.read(described(k))
    val due = it.number - number
    open && there(k) && it.session === session && it.number(0) === Bool(k == 1) && due < slots
  }
  for (k <- 0 until slots) {
    val touches = (touched && slot === k) || (fills && (place >> log2Up(room.lines)) === k)
    assume(!(pending(k) && touches))
  }
  private val now = number(0).asUInt
  private val page = Descriptor()
  page.read(described(now))
  private val due = Vec((0 until slots).map(pending))(now) && page.number === number
  private val whole = page.bytes =/= 0 && page.bytes <= room.pages.slot &&
    (page.last(0) || page.bytes(lineBits - 1 downto 0) === 0)
  private val left = page.bytes - (at << lineBits).resize(16)
  private val ends = left <= room.bytes
  private val some = (ends ? left.resize(lineBits + 1) | U(room.bytes, lineBits + 1 bits))
  private val asks = (ring.ask.valid.pull() && ring.ask.ready.pull())
  private val refuses = ring.refuses.pull()
  assert(!asks || (due && whole), "only a page that is due goes out")
  assert(!refuses || (due && !whole), "only what cannot be is refused")
  assert(!open || dut.taken(0) === number, "what is counted has gone out")
  when(asks) {
    at := at + 1
    when(ends) {
      at := 0
      number := number + 1
    }
  }
  when(refuses)(number := number + 1)
  when(!open) {
    at := 0
    number := 0
  }

  // Lines in flight.
  case class Line() extends Bundle {
    val bit, known, last = Bool()
    val some = UInt(lineBits + 1 bits)
  }
  private val most = 4
  val lines = Vec(Reg(Line()), most)
  val count = Reg(UInt(log2Up(most + 1) bits)) init 0
  private val line = Line()
  line.bit := bits(now @@ at)
  line.known := known(now @@ at)
  line.last := ends && page.last(0)
  line.some := some
  private val behind = count - U(out.fire)
  when(out.fire)(for (i <- 0 until most - 1) (lines(i) := lines(i + 1)))
  for (i <- 0 until most) when(asks && behind === i)(lines(i) := line)
  count := open ? (behind + U(asks)) | U(0)
  assert(count < most, "no more lines than places")
  private val first = lines(0)
  when(out.valid) {
    assert(open && count =/= 0, "nothing goes out that was not described")
    assert(
      (!first.known || out.data(0) === first.bit) && out.last === first.last,
      "the line that is due, with its data"
    )
    assert(out.keep === (0 until room.bytes).map(i => first.some > i).asBits(), "as many bytes as were described")
  }
  staysOffered("a line", out, unless = !open)
  responds("a page that is due goes on", open && wasOpen && due && out.ready, asks || refuses, within = 4)
  responds("a line comes", open && wasOpen && count =/= 0, out.valid, within = 3)
}
