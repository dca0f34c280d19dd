package proofmill.formal

import proofmill.shell.AsyncFifo
import spinal.core._

/** Proof of an asynchronous FIFO. */
class AsyncFifoProof(depth: Int) extends Component with CrossedWords {
  val (writerTicks, writer) = freeClock("writer")
  val (readerTicks, reader) = freeClock("reader")
  val dut = AsyncFifo(Bits(1 bits), depth, writer, reader)
  val push = freeSource(dut.push)
  val pop = freeSink(dut.pop)
  val crossed = new Crossed("words", dut, push, pop, writerTicks, readerTicks)
}
