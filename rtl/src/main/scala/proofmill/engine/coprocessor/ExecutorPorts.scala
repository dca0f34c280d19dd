package proofmill.engine.coprocessor

import proofmill.pairing.{Layout, Permit, Start}
import proofmill.stream.Word
import spinal.core._
import spinal.lib._

/** Ports of an [[Executor]]. */
class ExecutorPorts(config: CoprocessorConfig, slotMap: SlotMap) extends Bundle {
  private val pairing = config.machine
  private val bits = pairing.field.bits
  private val (log2, log2Instructions) = (config.log2Data, config.log2Instructions)
  private def context = UInt(log2Up(pairing.contexts) bits)

  /** Instruction memory: the slot to read, always valid. */
  val fetchSlot = out(UInt(log2Instructions bits))
  val fetched = in(Bits(Instructions.bits bits)) // the instruction in `fetchSlot`, one cycle later

  /** Data memory: the slots of operands a and b. */
  val typeSlots = out(Vec.fill(2)(UInt(log2 bits)))
  val types = in(Vec.fill(2)(Bits(3 bits))) // the types of `typeSlots`, in the same cycle

  /** Data memory: requests. */
  val data = master(Stream(DataRequest(slotMap.bits, bits)))
  val response = in(DataResponse(bits)) // the response, valid while `data` fires

  /** Pairing processor: the program to start. */
  val start = master(Stream(Start(pairing.image.entries.size, slotMap.bits)))
  val startContext = in(context) // context of the program, valid while `start` fires

  /** Pairing processor: levels, a bit per context whose job has ended. */
  val ended = in(Bits(pairing.contexts bits))
  val idle = in(Bool()) // level: no job is in flight

  /** Pairing processor: a pulse per check that the current program stored. */
  val checked = in(Bool())
  val verdict = master(Flow(Permit(pairing.contexts))) // whether a context's job may store its result; once per job

  /** Pairing processor: per context the table entries that its digits select, always valid. */
  val entries = out(Vec.fill(pairing.contexts, Layout.digits)(UInt(Layout.entryBits bits)))
  val entryRead = in(Bool()) // pulse: the job of `entryContext` reads an entry
  val entryContext = in(context) // the context of `entryRead`

  /** Interrupt packets. */
  val reply = master(Word.packets)

  /** Register port, levels: log2 of the number of slots that programs have. */
  val dataLog2, instructionsLog2 = in(UInt(4 bits))

  /** Register port: the instruction pointer, that of the oldest instruction in flight. */
  val pointer = out(UInt(log2Instructions bits))
  val jump = slave(Flow(UInt(log2Instructions bits))) // a pulse with the new instruction pointer that the host wrote

  /** Register port: the first error (slot and number) since it was cleared, or 0. */
  val error = out(Bits(32 bits))
  val clearError = in(Bool()) // pulse: clears `error`

  /** Register port: cycles of the last arithmetic instruction that ended. */
  val lastCycles = out(UInt(32 bits))

  /** Counters: a pulse per instruction that ended and per interrupt that was sent; the executor is not idle. */
  val executed, sent, busy = out(Bool())
}
