package proofmill.shell

import proofmill.stream.Word
import spinal.core._
import spinal.lib._

/** Host to card: 32-bit words are written one by one; `launch` with the length in bytes then completes a packet.
  *
  * A launch whose length does not match the written words sends nothing and discards them (`sizeError`); so does length 0. A
  * word that exceeds the memory is lost (`overrun`), and the next launch fails. Memory:
  * {{{
  *   read ... [length][word][word] ... base: slot for the next length, [word][word] ... write
  * }}}
  */
case class MailboxTransmit(depth: Int) extends Component {
  require(isPow2(depth), s"MailboxTransmit: depth $depth is not a power of two")
  private val pointer = UInt(log2Up(depth) + 1 bits)

  val word = slave(Flow(Bits(32 bits))) // a word of the next packet, first byte lowest; no back-pressure
  val launch = slave(Flow(Bits(32 bits))) // completes the packet; its length in bytes; never in the cycle of a `word`
  val output = master(Word.packets) // launched packets

  val launched, sizeError, overrun = out(Bool()) // pulses: a packet was launched; a launch failed; a word was lost

  /** Free words, less four as in the published register. */
  val vacancy = out(UInt(log2Up(depth) + 1 bits))

  private val memory = Mem(Bits(32 bits), depth)
  val read, base = Reg(pointer) init 0
  val write = Reg(pointer) init 1
  val used = write - read
  val room = used < depth
  vacancy := (used > depth - 3) ? U(0) | (depth - 3 - used)

  // Input: a word and a launch are never in the same cycle, so one write port is enough.
  val bytes = launch.payload.asUInt
  val words = (bytes +^ U(3)) >> 2
  launched := launch.valid && bytes =/= 0 && words === (write - base - 1).resize(words.getWidth)
  sizeError := launch.valid && !launched
  overrun := word.valid && !room

  memory.write(
    address = (launch.valid ? base | write).resized,
    data = launch.valid ? launch.payload | word.payload,
    enable = launched || (word.valid && room)
  )
  when(word.valid && room)(write := write + 1)
  when(launch.valid)(write := (launched ? write | base) + 1)
  when(launched)(base := write)

  // Output: length, then pairs of words.
  val address = Stream(UInt(log2Up(depth) bits))
  address.valid := read =/= base
  address.payload := read.resized
  when(address.fire)(read := read + 1)
  val stored = memory.streamReadSync(address)

  val left = Reg(UInt(log2Up(depth) + 3 bits)) init 0 // remaining bytes of the packet
  val upper = RegInit(False)
  val lower = Reg(Bits(32 bits))
  val starts = left === 0
  val ends = left <= 4
  val keep4 = Mux(left >= 4, B"1111", ((U(1, 4 bits) |<< left(1 downto 0)) - 1).asBits)

  output.valid := stored.valid && !starts && (upper || ends)
  output.last := ends
  output.fragment.data := upper ? (stored.payload ## lower) | stored.payload.resize(64 bits)
  output.fragment.keep := upper ? (keep4 ## B"1111") | keep4.resize(8 bits)
  stored.ready := !output.valid || output.ready

  when(stored.fire) {
    left := starts ? stored.payload.asUInt.resize(left.getWidth) | (ends ? U(0) | left - 4)
    upper := !starts && !upper && !ends
    lower := stored.payload
  }
}
