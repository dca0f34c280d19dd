package proofmill.formal

import proofmill.shell.{AsyncFifo, Synchroniser}
import spinal.core._
import spinal.lib._

/** The property of an asynchronous FIFO: the words that leave are exactly those that entered, in order and within a bounded
  * time, for any two clocks.
  *
  * Each side has a clock of its own: a step of the proof is an edge of either, of both, or of none, selected by two free
  * inputs. A sample of a count during its change is the count before or after, because counts change by one bit, which is
  * proved, too. A sample is therefore equivalent to an order of two edges, and the proof covers all orders.
  */
trait CrossedWords extends Proof { this: Component =>

  /** Asserts that between `push` and `pop` there is exactly this FIFO. */
  class Crossed[T <: Data](
      called: String,
      fifo: AsyncFifo[T],
      push: Stream[T],
      pop: Stream[T],
      writerTicks: Bool,
      readerTicks: Bool
  ) extends Area {
    val pushes = push.fire && writerTicks
    val pops = pop.fire && readerTicks

    // The reference FIFO.
    private val depth = fifo.depth
    private val bits = push.payload.getBitsWidth
    val size = depth + 1 // the memory and the offered word
    val queued = Vec(Reg(Bits(bits bits)) init 0, size)
    val total = Reg(UInt(log2Up(size + 1) bits)) init 0
    val place = total - U(pops)
    when(pops)(for (i <- 0 until size - 1) (queued(i) := queued(i + 1)))
    for (i <- 0 until size) when(pushes && place === i)(queued(i) := push.payload.asBits)
    total := place + U(pushes)

    assert(total <= size, s"$called: no more words than places")
    assert(!pop.valid || total =/= 0, s"$called: nothing leaves that is not inside")
    assert(!pop.valid || pop.payload.asBits === queued(0), s"$called: the oldest word leaves, unchanged")

    // The counts, and their copies in the registers of the other side.
    private def binary(gray: Bits): UInt = fromGray(gray)
    private def stages(sight: Synchroniser): Seq[UInt] =
      Seq(sight.first, sight.settled).map(it => binary(it.pull()))
    val write = fifo.pushSide.count.pull()
    val read = fifo.popSide.count.pull()
    val Seq(writeSeen0, writeSeen1) = stages(fifo.popSide.sight)
    val Seq(readSeen0, readSeen1) = stages(fifo.pushSide.sight)
    for (
      (what, count, gray) <- Seq(
        ("written", write, fifo.pushSide.gray.pull()),
        ("read", read, fifo.popSide.gray.pull())
      )
    ) {
      assert(binary(gray) === count, s"$called: what is shown is the count of what was $what")
      val before = RegNext(gray) init 0
      assert(CountOne(before ^ gray) <= 1, s"$called: one bit of the count of what was $what changes at once")
    }
    assert(total === write - read + U(pop.valid), s"$called: all words lie between read and written")
    assert(write - read <= depth, s"$called: no word is overwritten")
    assert(
      writeSeen0 - read <= write - read && writeSeen1 - read <= writeSeen0 - read,
      s"$called: the reader sees the past"
    )
    assert(
      write - readSeen0 >= write - read && write - readSeen1 >= write - readSeen0,
      s"$called: the writer sees the past"
    )
    assert(write - readSeen1 <= depth, s"$called: the writer's view is possible")

    // The memory contains the reference's words.
    val contents = Vec(words(fifo, fifo.memory).map(_.asBits))
    for (i <- 0 until depth) {
      val inside = write - read > i
      val at = (read + i).resize(log2Up(depth))
      assert(
        !inside || contents(at) === queued((U(i, log2Up(size) bits) + U(pop.valid))),
        s"$called: word $i is where it belongs"
      )
    }

    responds(s"$called: a word can leave", total =/= 0, pop.valid, within = 3, ticks = readerTicks)
    responds(s"$called: there is room again", total === 0, push.ready, within = 2, ticks = writerTicks)
    staysOffered(s"$called: what leaves", pop, ticks = readerTicks)
  }
}
