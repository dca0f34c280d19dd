package proofmill.shell

import proofmill.stream.Word
import spinal.core._
import spinal.lib._

/** Card to host: a FIFO of whole packets, each stored as a length in bytes and 32-bit words.
  *
  * `length` is that of the packet being read, 0 if there is none; `word` is its next word, 0 if there is none. After the last
  * word of a packet both advance to the next packet. `waiting` counts the words of whole packets. Memory:
  * {{{
  *   read ... [length][word][word] ... base: slot for the next length, [word][word] ... write
  * }}}
  */
case class MailboxReceive(depth: Int) extends Component {
  require(isPow2(depth), s"MailboxReceive: depth $depth is not a power of two")
  private val pointer = UInt(log2Up(depth) + 1 bits)

  val input = slave(Word.packets) // packets to the host; back-pressured while the memory is full

  /** Pulse: `word` is consumed. */
  val take = in(Bool())
  val length = out(UInt(log2Up(depth) + 3 bits)) // bytes of the packet being read, 0 if there is none
  val word = out(Bits(32 bits)) // next word of that packet, 0 if there is none; first byte lowest
  val waiting = out(Reg(UInt(log2Up(depth) + 1 bits)) init 0) // words of whole packets that were not consumed

  private val memory = Mem(Bits(32 bits), depth)
  val read, base = Reg(pointer) init 0
  val write = Reg(pointer) init 1
  val room = (write - read) < depth

  // Input: lower half, upper half if valid, and after the last one the length.
  object Half extends SpinalEnum { val LOWER, UPPER, LENGTH = newElement() }
  val half = RegInit(Half.LOWER)
  val bytes = Reg(UInt(log2Up(depth) + 3 bits)) init 0
  val keep = input.fragment.keep
  val hasUpper = keep(4)
  val beatEnds = half === Half.UPPER || (half === Half.LOWER && !hasUpper)
  val storing = input.valid && room && half =/= Half.LENGTH
  val closing = half === Half.LENGTH

  input.ready := storing && beatEnds
  memory.write(
    address = (closing ? base | write).resized,
    data = half.mux(
      Half.LOWER -> input.fragment.data(31 downto 0),
      Half.UPPER -> input.fragment.data(63 downto 32),
      Half.LENGTH -> bytes.asBits.resize(32 bits)
    ),
    enable = storing || closing
  )
  when(storing) {
    write := write + 1
    half := beatEnds ? (input.last ? Half.LENGTH | Half.LOWER) | Half.UPPER
    when(beatEnds)(bytes := bytes + CountOne(keep))
  }
  when(closing) {
    base := write
    write := write + 1
    half := Half.LOWER
    bytes := 0
  }

  // Output: the length is fetched as soon as the words before it are consumed.
  val address = Stream(UInt(log2Up(depth) bits))
  address.valid := read =/= base
  address.payload := read.resized
  when(address.fire)(read := read + 1)
  val stored = memory.streamReadSync(address)

  val present = Reg(UInt(log2Up(depth) + 3 bits)) init 0
  val left = Reg(UInt(log2Up(depth) + 1 bits)) init 0
  val taken = take && left =/= 0 && stored.valid
  stored.ready := left === 0 || taken
  when(stored.fire) {
    when(left === 0) {
      present := stored.payload.asUInt.resized
      left := ((stored.payload.asUInt + 3) >> 2).resized
    } otherwise {
      left := left - 1
    }
  }
  length := (left === 0) ? U(0) | present
  word := (left === 0 || !stored.valid) ? B(0, 32 bits) | stored.payload

  val arrived = closing ? (write - base - 1) | U(0, pointer.getWidth bits)
  waiting := (waiting + arrived - taken.asUInt).resized
}
