package proofmill.shell

import proofmill.stream.Word
import spinal.core._
import spinal.lib._

/** Splits the incoming stream into packets and routes each packet to exactly one destination, for any input.
  *
  * Only `last` ends a packet. Its first word is the header, {len, command}; missing bytes are zero.
  *   - RESET and STATUS, exactly one full word: a request of that kind.
  *   - An engine's command, identified by command number and len: the words after the header go to that engine's queue, if
  *     there are ceil(len / 8) words in all and every `keep` is full; the last one may instead mark exactly the bytes of len.
  *   - All other packets (unknown, too short, too long, gaps in `keep`, null beats): one IGNORE request at their end.
  *
  * Contract of the engine queues: `commands(i)` ends with `last` on the word that completes the packet; `rollback(i)` removes
  * the words before. While `abort` is high (the engines and their queues are in reset) no word enters them; a packet in
  * progress to an engine is discarded without a reply.
  *
  * A word is compared with the headers at the input of a register, so one cycle later the decision uses a few bits. The
  * framer is ready whenever that register is free or the destination of its word is ready. There is no other storage except
  * the header.
  */
case class RxFramer(engines: Seq[EngineCommand]) extends Component {
  require(engines.map(_.header).distinct.size == engines.size, "RxFramer: two engines share command number and length")

  val rx = slave(Word.packets) // packets from the host, headers included
  val abort = in(Bool()) // level: the engines and their queues are in reset
  val requests = master(Stream(Request())) // RESET, STATUS and IGNORE, at the end of their packets
  val commands = engines.map(_ => master(Word.payload)) // per engine command its words after the header
  val rollback = engines.map(_ => out(Bool())) // per engine command a pulse: removes the words of an invalid packet

  /** Pulse: a packet has ended. */
  val taken = out(Bool())

  // The word and its marks.
  val word = rx.map(MarkedWord.of(engines)).m2sPipe()
  val data = word.fragment.word.data
  val keep = word.fragment.word.keep
  val full = word.fragment.full
  val present = Cat(keep.asBools.zip(data.subdivideIn(8 bits)).map { case (there, byte) => byte.andMask(there) })

  // The current packet.
  val first = RegInit(True)
  val header = Reg(Bits(64 bits))
  val silent = RegInit(False)
  val target = engines.map(_ => RegInit(False))
  val left = Reg(UInt(log2Up(engines.map(_.words).foldLeft(2)(_ max _)) bits))

  private def any(bits: Seq[Bool]): Bool = bits.foldLeft(False)(_ || _)

  // The first word selects the destination.
  val starts = engines.indices.map(word.fragment.opens(_))
  val starting = first && any(starts)

  // Later words of an engine's packet are checked against its header.
  val inside = !first && any(target)
  val exact = any(target.zipWithIndex.map { case (mine, i) => mine && word.fragment.closes(i) })
  val wellFormed = word.last === (left === 1) && (full || (word.last && exact))
  for (((command, back), mine) <- commands.zip(rollback).zip(target)) {
    command.valid := word.valid && !first && mine && wellFormed && !abort
    command.fragment := data
    command.last := word.last
    back := word.valid && !first && mine && !wellFormed
  }

  // The end of any other packet. An ill-formed packet of an engine is treated as one of these from the next cycle on.
  requests.valid := word.valid && word.last && !inside && (first || !silent)
  requests.header := first ? present | header
  requests.kind := RequestKind.IGNORE
  when(first && word.fragment.reset)(requests.kind := RequestKind.RESET)
  when(first && word.fragment.status)(requests.kind := RequestKind.STATUS)

  val room = any(commands.zip(target).map { case (command, mine) => mine && command.ready })
  word.ready := Mux(requests.valid, requests.ready, Mux(inside, wellFormed && room && !abort, !(starting && abort)))

  taken := word.fire && word.last

  when(word.fire) {
    first := word.last
    left := left - 1
    when(first) {
      header := present
      silent := False
      for ((e, begins) <- engines.zip(starts)) when(begins)(left := e.words - 1)
    }
    for ((mine, begins) <- target.zip(starts)) mine := first ? begins | (mine && !word.last)
  }
  when(inside && (abort || (word.valid && !wellFormed))) {
    silent := abort
    target.foreach(_ := False)
  }
}
