package proofmill.shell

import proofmill.stream.Word
import spinal.core._
import spinal.lib._

/** Packets from the bytes of a line that has nothing else to mark them: the length comes first.
  *
  *   1. A packet's first eight bytes are its header. A length of 8 to `longest` is believed: the packet ends with that byte.
  *   2. Where the line falls quiet before that, the packet ends there, too short.
  *   3. Any other length, a byte that was broken (between packets too) or a word without room is damage: nothing counts any more until the
  *      line is quiet, and the packet ends then.
  *
  * So every byte that is lost or comes twice is forgotten once the line was quiet, and a packet of the second or third kind is a word or more
  * shorter than its header says: the shell answers it with one IGNORE. A length that is damaged but possible shifts what comes behind it
  * without a pause; quiet ends that too.
  *
  * `packets` may be refused only for a last word; any other is lost then, and that is damage.
  */
case class SerialFramer(longest: Int) extends Component {
  require(longest >= 8, s"SerialFramer: packets of $longest bytes have no header")

  val byte = slave(Flow(Bits(8 bits)))
  val broken = in(Bool())
  val quiet = in(Bool())
  val packets = master(Word.packets)

  // The word so far, its first byte lowest, and how many bytes it has.
  val bytes = Reg(Bits(56 bits))
  val held = RegInit(U(0, 3 bits))
  val word = byte.payload ## bytes

  val inside = RegInit(False) // a packet has begun
  val first = RegInit(True) // its header is not whole
  val left = Reg(UInt(log2Up(longest + 1) bits)) // bytes behind the header that are still to come
  val damaged = RegInit(False)

  // What the present byte completes.
  val takes = byte.valid && !damaged
  val length = word(31 downto 0).asUInt
  val possible = length >= 8 && length <= longest
  val ends = first ? (held === 7 && length === 8) | (left === 1)
  val whole = takes && (held === 7 || ends)

  // The end of a packet that will not be whole.
  val closing = inside && quiet && !byte.valid && !broken

  val shift = (U(7, 3 bits) - held) << 3
  val partial = (bytes ## B(0, 8 bits)) |>> ((U(8, 4 bits) - held) << 3)
  packets.valid := whole || closing
  packets.last := closing || ends
  packets.fragment.data := Mux(closing, partial, word |>> shift)
  packets.fragment.keep := Mux(
    closing,
    B(0x00ff, 16 bits) |>> (U(8, 4 bits) - held),
    B(0x00ff, 16 bits) |>> (U(7, 4 bits) - held)
  ).resized

  when(byte.valid || broken)(inside := True)
  when(takes) {
    bytes := word(63 downto 8)
    held := held + 1
    when(!first)(left := left - 1)
    when(first && held === 7) {
      first := False
      left := (length - 8).resized
      damaged := !possible
    }
  }
  when(broken)(damaged := True)
  when(whole && !packets.ready) {
    damaged := True
    held := 0
  }
  when(packets.fire && packets.last) {
    inside := False
    first := True
    held := 0
    damaged := False
  }
}
