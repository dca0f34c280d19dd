package proofmill.engine.poseidon

import proofmill.spec.{Command, Spec}
import proofmill.stream.{PacketAdapter, Word}
import spinal.core._
import spinal.lib._

/** TRIDENT's stream format: a state is its elements, the tag first, of 32 bytes each, with the top bit of the last one set. A
  * digest has 32 bytes, in the order of the states. Both are in Montgomery form, which the engine converts
  * (`PoseidonConfig.montgomery`).
  *
  *   1. In: queues a state's words up to the mark or the end of the transfer, at most the largest number of elements.
  *   2. Send: sends a state of one of the card's widths as a command. For any other state it sends one that the engine
  *      rejects, to keep the order of replies.
  *   3. Out: sends digests; for a rejected state 32 bytes of ones, which represent no element.
  */
class StateFramer(config: PoseidonConfig) extends PacketAdapter {
  require(config.strengths.size == 1, "a state's length does not tell its strength")
  private val nodeWords = PoseidonEntry.bits / 64
  private val most = config.widths.max
  private val command = Command(Spec.table("wire/poseidon"))
  private val bare = Spec.int(Spec.table("wire/poseidon").getTable("command"), "bare_len")
  private val countBits = log2Up(nodeWords * most + 1)

  /** A received state: the number of its words, and whether they are a valid state. */
  case class Frame() extends Bundle {
    val words = UInt(countBits bits)
    val good = Bool()
  }

  val words = StreamFifo(Bits(64 bits), 1 << log2Up(2 * nodeWords * most))
  val frames = StreamFifo(Frame(), 16)

  val in = new Area {
    val count = Reg(UInt(countBits bits)) init 0
    val place = Reg(UInt(log2Up(nodeWords) bits)) init 0
    val bad = RegInit(False)
    private val full = rx.keep.andR
    private val closes = place.andR
    private val marked = closes && rx.data.msb
    private val ends = marked || rx.last
    private val room = count =/= nodeWords * most
    private val whole = count + room.asUInt
    private val fits = config.widths.map(width => whole === nodeWords * width).orR
    rx.ready := (words.io.push.ready || !room) && (frames.io.push.ready || !ends)
    words.io.push.valid := rx.valid && room && (frames.io.push.ready || !ends)
    words.io.push.payload := Mux(closes, False ## rx.data.dropHigh(1), rx.data)
    frames.io.push.valid := rx.fire && ends
    frames.io.push.words := whole
    frames.io.push.good := marked && full && !bad && room && fits
    when(rx.fire) {
      place := ends ? U(0) | place + 1
      count := ends ? U(0) | whole
      bad := !ends && (bad || !full || !room)
    }
  }

  val send = new Area {
    object State extends SpinalEnum {
      val Header, Index, Words, Drain = newElement()
    }
    val state = RegInit(State.Header)
    val left = Reg(UInt(countBits bits))
    private val frame = frames.io.pop
    private val least = nodeWords * config.widths.min
    private val size = frame.good ? frame.words | U(least, countBits bits)
    commands.valid := False
    commands.last := False
    commands.keep.setAll()
    commands.data := 0
    frame.ready := False
    words.io.pop.ready := False
    switch(state) {
      is(State.Header) {
        commands.valid := frame.valid
        commands.data := B(command.number, 32 bits) ## ((size << 3).resize(32 bits) + bare).asBits
        left := size
        when(commands.fire)(state := State.Index)
      }
      is(State.Index) {
        commands.valid := True
        when(commands.fire)(state := State.Words)
      }
      is(State.Words) {
        commands.valid := !frame.good || words.io.pop.valid
        commands.data := frame.good ? words.io.pop.payload | B(64 bits, default -> True)
        commands.last := left === 1
        words.io.pop.ready := frame.good && commands.ready
        when(commands.fire)(left := left - 1)
        when(commands.fire && commands.last) {
          frame.ready := frame.good
          left := frame.words
          state := frame.good ? State.Header | State.Drain
        }
      }
      is(State.Drain) {
        words.io.pop.ready := left =/= 0
        when(words.io.pop.fire)(left := left - 1)
        when(left === 0) {
          frame.ready := True
          state := State.Header
        }
      }
    }
  }

  val out = new Area {
    private val front = 3 // words of a reply before the digest
    private val done = Spec.int(Spec.table("wire/poseidon").getTable("status"), "done")
    val place = Reg(UInt(log2Up(command.replyBytes / 8) bits)) init 0
    val refused = Reg(Bool())
    private val digest = place >= front
    tx.valid := replies.valid && digest
    tx.last := replies.last
    tx.keep.setAll()
    tx.data := refused ? B(64 bits, default -> True) | replies.data
    replies.ready := tx.ready || !digest
    when(replies.fire) {
      place := replies.last ? U(0) | place + 1
      when(place === front - 1)(refused := replies.data.takeLow(32).asUInt =/= done)
    }
  }
}
