package proofmill.shell

import proofmill.stream.Word
import spinal.core._
import spinal.lib._

/** Assembles packets from the bytes of a serial line, which marks packets only by their length.
  *
  *   1. A packet's first eight bytes are its header. A length of 8 to `longest` is accepted: the packet ends with that byte.
  *   2. If the line becomes idle before that, the packet ends early and is too short.
  *   3. Any other length, a framing error (between packets, too) or an overflow is damage: further bytes are discarded until
  *      the line is idle, and the packet ends then.
  *
  * Lost and duplicated bytes therefore have no effect after an idle period. A packet of the second or third kind is at least
  * one word shorter than its header specifies: the shell replies with one IGNORE. A damaged length in the accepted range
  * shifts the boundaries of packets that follow without a pause; an idle period ends that, too.
  *
  * `packets` may be stalled only for a last word; any other stalled word is lost, which is damage.
  */
case class SerialFramer(longest: Int) extends Component {
  require(longest >= 8, s"SerialFramer: packets of $longest bytes have no header")

  val byte = slave(Flow(Bits(8 bits))) // a received byte; no back-pressure
  val broken = in(Bool()) // pulse: a framing error
  val quiet = in(Bool()) // level: the line is idle
  val packets = master(Word.packets) // words of packets; a word that is not the last one is lost if it is stalled

  // The current word, its first byte lowest, and its number of bytes.
  val bytes = Reg(Bits(56 bits))
  val held = RegInit(U(0, 3 bits))
  val word = byte.payload ## bytes

  val inside = RegInit(False) // a packet has begun
  val first = RegInit(True) // its header is incomplete
  val left = Reg(UInt(log2Up(longest + 1) bits)) // remaining bytes after the header
  val damaged = RegInit(False)

  // Words that the present byte completes.
  val takes = byte.valid && !damaged
  val length = word(31 downto 0).asUInt
  val possible = length >= 8 && length <= longest
  val ends = first ? (held === 7 && length === 8) | (left === 1)
  val whole = takes && (held === 7 || ends)

  // The end of an incomplete packet.
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
