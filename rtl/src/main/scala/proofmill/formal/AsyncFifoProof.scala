package proofmill.formal

import proofmill.shell.{AsyncFifo, Synchroniser}
import spinal.core._
import spinal.lib._

/** What leaves an asynchronous queue is exactly what entered, in order, and it leaves soon, whatever the two clocks do.
  *
  * Each side has a clock of its own: a step of the proof is an edge of either, of both, or of none, by two free inputs. Sampling a count in
  * the middle of its change gives the one before or the one after, as the counts change by one bit, which is proved too; so it is
  * the order of two edges, and all orders are there.
  */
class AsyncFifoProof(depth: Int) extends Component with Proof {
  val (writerTicks, writer) = freeClock("writer")
  val (readerTicks, reader) = freeClock("reader")
  val dut = AsyncFifo(Bits(1 bits), depth, writer, reader)
  val push = freeSource(dut.push)
  val pop = freeSink(dut.pop)
  val pushes = push.fire && writerTicks
  val pops = pop.fire && readerTicks

  // The obvious queue.
  val size = depth + 1 // the memory and the word that is offered
  val words = Vec(Reg(Bits(1 bits)) init 0, size)
  val total = Reg(UInt(log2Up(size + 1) bits)) init 0
  val place = total - U(pops)
  when(pops)(for (i <- 0 until size - 1) (words(i) := words(i + 1)))
  for (i <- 0 until size) when(pushes && place === i)(words(i) := push.payload)
  total := place + U(pushes)

  assert(total <= size, "no more words than places")
  assert(!pop.valid || total =/= 0, "nothing leaves that is not inside")
  assert(!pop.valid || pop.payload === words(0), "the oldest word leaves, unchanged")

  // The counts, and as each side sees them on the way through the other's registers.
  private def binary(gray: Bits): UInt = fromGray(gray)
  private def stages(sight: Synchroniser): Seq[UInt] = Seq(sight.first, sight.settled).map(it => binary(it.pull()))
  val write = dut.pushSide.count.pull()
  val read = dut.popSide.count.pull()
  val Seq(writeSeen0, writeSeen1) = stages(dut.popSide.sight)
  val Seq(readSeen0, readSeen1) = stages(dut.pushSide.sight)
  for (
    (name, count, gray) <- Seq(("written", write, dut.pushSide.gray.pull()), ("read", read, dut.popSide.gray.pull()))
  ) {
    assert(binary(gray) === count, s"what is shown is the count of what was $name")
    val before = RegNext(gray) init 0
    assert(CountOne(before ^ gray) <= 1, s"one bit of the count of what was $name changes at once")
  }
  assert(total === write - read + U(pop.valid), "all words lie between read and written")
  assert(write - read <= depth, "no word is overwritten")
  assert(writeSeen0 - read <= write - read && writeSeen1 - read <= writeSeen0 - read, "the reader sees the past")
  assert(write - readSeen0 >= write - read && write - readSeen1 >= write - readSeen0, "the writer sees the past")
  assert(write - readSeen1 <= depth, "the writer's view is possible")

  // The memory holds them.
  val contents = dut.rework {
    val all = out(Vec(Bits(1 bits), depth))
    for (i <- 0 until depth) all(i) := dut.memory.readAsync(U(i, log2Up(depth) bits))
    all
  }
  for (i <- 0 until depth) {
    val inside = write - read > i
    val at = (read + i).resize(log2Up(depth))
    assert(!inside || contents(at) === words((U(i, log2Up(size) bits) + U(pop.valid))), s"word $i is where it belongs")
  }

  responds("a word can leave", total =/= 0, pop.valid, within = 3, ticks = readerTicks)
  responds("there is room again", total === 0, push.ready, within = 2, ticks = writerTicks)
  staysOffered("pop", pop, ticks = readerTicks)
}
