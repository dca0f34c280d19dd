package proofmill.shell

import proofmill.spec.Spec
import proofmill.stream.Word
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite._

/** Packets that read and write registers, for a card whose only interface is a stream of packets.
  *
  * The unit is in front of the shell. A packet {16, READ | WRITE}, {address below 64 KiB, value} of two full words is
  * executed on `axi`; the reply is {16, reply}, {address, value}. All other packets pass. Packets keep their order: an access
  * waits until every earlier RESET has its reply, and later packets wait for the access.
  */
case class RegisterPackets() extends Component {
  import RegisterPackets._

  val rx = slave(Word.packets) // packets from the host
  val commands = master(Word.packets) // packets to the shell: all but those that access a register
  val replies = slave(Word.packets) // packets from the shell
  val tx = master(Word.packets) // packets to the host: those of `replies`, and replies to register accesses
  val axi = master(AxiLite4(Shell.addressBits, 32)) // the shell's register bus

  val full = rx.fragment.keep.andR
  val data = rx.fragment.data

  // 1. A header that may begin a register packet is delayed until its second word is valid.
  val first = RegInit(True)
  val held = RegInit(False)
  val isRead = Reg(Bool())
  val begins = first && full && !rx.last && (data === read || data === write)
  val ours = held && full && rx.last && data(31 downto Shell.addressBits) === 0

  // 2. The access, after its execution, and its reply of two words.
  val resets = Reg(UInt(4 bits)) init 0
  val carriedOut = RegInit(False)
  val beat = RegInit(False)
  val value = Reg(Bits(32 bits))
  val begun = RegInit(False) // addresses were sent
  val waiting = ours && rx.valid && !carriedOut
  val offer = RegInit(B(0, 3 bits)) // ar, aw, w
  when(waiting && !begun && resets === 0) {
    begun := True
    offer := isRead ? B"001" | B"110"
  }
  axi.ar.valid := offer(0)
  axi.aw.valid := offer(1)
  axi.w.valid := offer(2)
  for ((channel, i) <- Seq(axi.ar, axi.aw, axi.w).zipWithIndex) when(channel.fire)(offer(i) := False)
  axi.ar.addr := data(Shell.addressBits - 1 downto 0).asUInt
  axi.ar.prot := 0
  axi.aw.addr := axi.ar.addr
  axi.aw.prot := 0
  axi.w.data := data(63 downto 32)
  axi.w.strb := 0xf
  axi.r.ready := True
  axi.b.ready := True
  when(axi.r.fire || axi.b.fire) {
    carriedOut := True
    value := axi.r.fire ? axi.r.data | data(63 downto 32)
  }

  val answer = Word.packets
  answer.valid := ours && rx.valid && carriedOut
  answer.last := beat
  answer.fragment.keep := 0xff
  answer.fragment.data := beat ? (value ## data(31 downto 0)) | (isRead ? B(readReply, 64 bits) | B(
    writeReply,
    64 bits
  ))
  when(answer.fire) {
    beat := !beat
    when(beat) {
      carriedOut := False
      begun := False
    }
  }

  // 3. All other words pass; a header that was delayed for another packet is sent first.
  commands.valid := rx.valid && !begins && !ours
  commands.last := rx.last && !held
  commands.fragment.data := held ? (isRead ? B(read, 64 bits) | B(write, 64 bits)) | data
  commands.fragment.keep := held ? B(0xff, 8 bits) | rx.fragment.keep
  rx.ready := begins || (ours ? (answer.fire && beat) | (commands.ready && !held))
  when(rx.fire) {
    first := rx.last
    held := begins
    when(begins)(isRead := data === read)
  } elsewhen (commands.fire)(held := False)

  // RESETs in flight: the shell and its streams hold fewer than the counter's range.
  val asks = commands.fire && first && rx.last && full && data === Control.reset
  val replyFirst = RegInit(True)
  when(replies.fire)(replyFirst := replies.last)
  val answered = replies.fire && replyFirst && replies.last && replies.fragment.data === Control.resetReply
  resets := resets + asks.asUInt - answered.asUInt

  val arbiter = PacketArbiter(Word(), ports = 2)
  arbiter.inputs(0) << replies
  arbiter.inputs(1) << answer
  tx << arbiter.output
}

object RegisterPackets {
  private val packets = Spec.table("wire/shell").getTable("register_packets")
  private val bytes = Spec.int(packets, "len")
  private def header(name: String, number: String) = Control.header(Spec.big(packets.getTable(name), number), bytes)

  /** Length of these packets and of their replies. */
  val longest: Int = bytes

  private val read = header("read", "number")
  private val readReply = header("read", "reply")
  private val write = header("write", "number")
  private val writeReply = header("write", "reply")
}
