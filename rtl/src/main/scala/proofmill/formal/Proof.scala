package proofmill.formal

import proofmill.engine.Engine
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi.Axi4Config

/** The common part of the proofs. Registers begin with their reset value; there is no later reset. Inputs are free. */
trait Proof { this: Component =>

  /** The number of cycles of a bounded proof; none: all cycles. A property of the first few cycles holds in all cycles if the
    * only relevant registers have no reset value, because these begin with any value.
    */
  def cycles: Option[Int] = None

  /** Drives an input of the circuit from a free input of the proof. */
  protected def freeInput[T <: Data](input: T): T = {
    val port = in(cloneOf(input))
    input := port
    port
  }

  /** Drives a stream from free inputs; returns the stream as the proof reads it. */
  protected def freeSource[T <: Data](sink: Stream[T]): Stream[T] = {
    val port = slave(cloneOf(sink))
    sink << port
    port
  }

  /** Accepts from a stream at any time. */
  protected def freeSink[T <: Data](source: Stream[T]): Stream[T] = {
    val port = master(cloneOf(source))
    port << source
    port
  }

  /** A clock domain of its own: it ticks in the steps in which a free input is high. */
  protected def freeClock(name: String): (Bool, ClockDomain) = {
    val ticks = in(Bool()).setName(s"${name}_ticks")
    val config = ClockDomainConfig(resetKind = BOOT, clockEnableActiveLevel = HIGH)
    val domain = ClockDomain(ClockDomain.current.readClockWire, clockEnable = ticks, config = config)
    domain.setSynchronousWith(ClockDomain.current) // the proof reads both
    (ticks, domain)
  }

  /** Returns the words of a memory of `owner`, a part of the circuit. */
  protected def words[T <: Data](owner: Component, memory: Mem[T]): Seq[T] = owner
    .rework((0 until memory.wordCount).map { i =>
      val word = cloneOf(memory.wordType())
      word := memory.readAsync(U(i, memory.addressWidth bits))
      word
    })
    .map(_.pull())

  private def offered[T <: Data](stream: Stream[T], unless: Bool, ticks: Bool): (Bool, Bool) = {
    val waiting = RegNextWhen(stream.valid && !stream.ready && !unless, ticks) init False
    val before = RegNextWhen(stream.payload, ticks)
    (waiting && ticks, stream.valid && stream.payload.asBits === before.asBits)
  }

  /** The rule of every stream: an offered payload stays until it is accepted; on a clock of its own, at its ticks. */
  protected def staysOffered[T <: Data](
      name: String,
      stream: Stream[T],
      unless: Bool = False,
      ticks: Bool = True
  ): Unit = {
    val (waiting, same) = offered(stream, unless, ticks)
    assert(!waiting || same || unless, s"$name stays offered")
  }

  protected def assumeStaysOffered[T <: Data](stream: Stream[T], ticks: Bool = True): Unit = {
    val (waiting, same) = offered(stream, False, ticks)
    assume(!waiting || same)
  }

  /** Asserts that while `asked` is continuously high, `answer` is high after at most `within` ticks. */
  protected def responds(name: String, asked: Bool, answer: Bool, within: Int, ticks: Bool = True): Unit = {
    val patience = Reg(UInt(log2Up(within + 2) bits)) init 0
    when(ticks)(patience := (asked && !answer) ? (patience + 1) | U(0))
    assert(!(ticks && asked && !answer && patience === within), name)
  }
}

object Proof {

  /** The narrowest bus with the channels of a card's memory. */
  val axi: Axi4Config = Engine.bus(addressBits = 1, dataBits = 8)
}
