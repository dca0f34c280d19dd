package proofmill.formal

import proofmill.engine.Engine
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi.Axi4Config

/** What proofs share. Registers start with their reset value; no reset comes after. Inputs are free. */
trait Proof { this: Component =>

  /** How many cycles the proof looks at; none: all. What holds in the first few holds in all where registers without a reset value, which begin
    * with anything, are the only ones that matter.
    */
  def cycles: Option[Int] = None

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

  /** A clock of its own: it ticks in the steps in which a free input is high. */
  protected def freeClock(name: String): (Bool, ClockDomain) = {
    val ticks = in(Bool()).setName(s"${name}_ticks")
    val config = ClockDomainConfig(resetKind = BOOT, clockEnableActiveLevel = HIGH)
    val domain = ClockDomain(ClockDomain.current.readClockWire, clockEnable = ticks, config = config)
    domain.setSynchronousWith(ClockDomain.current) // the proof looks at both
    (ticks, domain)
  }

  /** The words of a memory of `owner`, a part of the circuit. */
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

  /** The rule of every stream: what is offered stays until it is taken. Of a stream on a clock of its own: at its ticks. */
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

  /** While `asked` holds without a break, `answer` comes after at most `within` ticks without it. */
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
