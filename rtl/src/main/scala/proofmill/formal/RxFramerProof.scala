package proofmill.formal

import proofmill.shell.{Control, EngineCommand, MarkedWord, RequestKind, RxFramer}
import proofmill.stream.Word
import spinal.core._
import spinal.lib._

/** Every packet has exactly one outcome, that of the packet specification, at its last word. The framer is then at the start
  * of the next packet, and it is ready within one cycle of its destinations.
  *
  * The specification evaluates the whole packet at its last word: the number of words, the header, and every `keep`.
  */
class RxFramerProof(engines: Seq[EngineCommand]) extends Component with Proof {
  val dut = RxFramer(engines)
  val from = freeSource(dut.rx)
  val rx = dut.word.pull() // the framer's registered word, one cycle after its arrival
  private val beat = rx.fragment.word
  val abort = freeInput(dut.abort)
  val requests = freeSink(dut.requests)
  val commands = dut.commands.map(freeSink(_))
  assumeStaysOffered(from)

  // The packet up to now.
  val longest = engines.map(_.words).max + 1
  val words = Reg(UInt(log2Up(longest + 1) bits)) init 0 // before this one, at most `longest`
  val header = Reg(Bits(64 bits)) init 0
  val fullSoFar = RegInit(True)
  val aborted = RegInit(False) // an abort since the first word
  val first = words === 0
  val keep = beat.keep
  val masked = Cat((0 until 8).map(i => beat.data(8 * i, 8 bits).andMask(keep(i))))
  val head = first ? masked | header
  val ends = rx.fire && rx.last

  when(rx.fire) {
    words := (words === longest) ? words | words + 1
    fullSoFar := fullSoFar && keep.andR
    when(first)(header := masked)
  }
  when(abort && !first)(aborted := True)
  when(ends) {
    words := 0
    fullSoFar := True
    aborted := False
  }
  assert(dut.first.pull() === first, "at the start of a packet exactly after a last word")

  // The word is one that arrived, and its marks are correct.
  val came = RegNextWhen(from.payload, from.ready)
  val expected = MarkedWord.of(engines)(came)
  assert(!rx.valid || rx.payload.asBits === expected.asBits, "the word that came, and its marks")
  assert(!(RegNext(from.fire) init False) || rx.valid, "no word is lost on the way")

  // The kind of the packet, at its last word.
  val single = first && keep.andR
  val isReset = single && head === Control.reset
  val isStatus = single && head === Control.status
  val isCommand = engines.map { e =>
    words === e.words - 1 && head === e.header && fullSoFar && (keep.andR || keep === Word.keepOf(e.bytes))
  }
  val isOther = !isReset && !isStatus && !isCommand.reduce(_ || _)
  val toEngine = engines.map(_.header === header).reduce(_ || _) && !first

  // Its outcome.
  val committed = commands.map(c => c.fire && c.last)
  for (((done, expected), i) <- committed.zip(isCommand).zipWithIndex) {
    assert(!done || (ends && expected && !aborted), s"only a whole command of engine $i is committed")
    assert(!(ends && expected && !aborted) || done, s"every whole command of engine $i is committed")
  }
  assert(!requests.fire || ends, "a request only at a last word")
  assert(!(ends && !isCommand.reduce(_ || _) && !aborted) || requests.fire, "every other packet makes a request")
  assert(!(ends && isCommand.reduce(_ || _)) || !requests.fire, "no command of an engine makes a request")
  assert(!(ends && aborted && !requests.fire) || toEngine, "only an aborted command is silent")
  when(requests.fire) {
    assert((requests.kind === RequestKind.RESET) === isReset, "RESET is RESET")
    assert((requests.kind === RequestKind.STATUS) === isStatus, "STATUS is STATUS")
    assert((requests.kind === RequestKind.IGNORE) === isOther, "everything else is IGNORE")
    assert(requests.header === head, "the header is echoed")
  }

  // The engine's queue has the words of this packet and no others.
  for (((e, command), back) <- engines.zip(commands).zip(dut.rollback)) {
    val inside = Reg(UInt(log2Up(longest + 1) bits)) init 0
    when(back || abort)(inside := 0) elsewhen (command.fire)(inside := command.last ? U(0) | inside + 1)
    assert(!command.fire || (rx.fire && command.fragment === beat.data), "the word itself enters")
    assert(!(command.fire && back) && !(command.fire && abort), "nothing enters while words are taken back")
    assert(!command.fire || inside === words - 1, "its packet's words before it are inside, no others")
    assert(!first || inside === 0, "nothing half done is left behind")
    staysOffered("a command's word", command, unless = abort)
  }

  staysOffered("a request", requests)
  val clear = requests.ready && commands.map(_.ready).reduce(_ && _) && !abort
  responds("ready again", rx.valid && clear, rx.ready, within = 1)
  responds("ready again outside", from.valid && clear, from.ready, within = 1)
}
