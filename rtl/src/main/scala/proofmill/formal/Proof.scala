package proofmill.formal

import spinal.core._
import spinal.lib._

/** What proofs share. Registers start with their reset value; no reset comes after. Inputs are free. */
trait Proof { this: Component =>

  /** Drives an input of the circuit from a port, so with anything. */
  protected def freeInput[T <: Data](input: T): T = {
    val port = in(cloneOf(input))
    input := port
    port
  }

  /** Drives a stream with anything; what is seen of it inside. */
  protected def freeSource[T <: Data](sink: Stream[T]): Stream[T] = {
    val port = slave(cloneOf(sink))
    sink << port
    port
  }

  /** Takes from a stream whenever it likes. */
  protected def freeSink[T <: Data](source: Stream[T]): Stream[T] = {
    val port = master(cloneOf(source))
    port << source
    port
  }

  private def offered[T <: Data](stream: Stream[T], unless: Bool): (Bool, Bool) = {
    val waiting = RegNext(stream.valid && !stream.ready && !unless) init False
    val before = RegNext(stream.payload)
    (waiting, stream.valid && stream.payload.asBits === before.asBits)
  }

  /** The rule of every stream: what is offered stays until it is taken. */
  protected def staysOffered[T <: Data](name: String, stream: Stream[T], unless: Bool = False): Unit = {
    val (waiting, same) = offered(stream, unless)
    assert(!waiting || same || unless, s"$name stays offered")
  }

  protected def assumeStaysOffered[T <: Data](stream: Stream[T]): Unit = {
    val (waiting, same) = offered(stream, False)
    assume(!waiting || same)
  }

  /** While `asked` holds without a break, `answer` comes after at most `within` cycles without it. */
  protected def responds(name: String, asked: Bool, answer: Bool, within: Int): Unit = {
    val patience = Reg(UInt(log2Up(within + 2) bits)) init 0
    patience := (asked && !answer) ? (patience + 1) | U(0)
    assert(!(asked && !answer && patience === within), name)
  }
}
