package proofmill.engine.coprocessor

import proofmill.engine.{Engine, EnginePacket, Window, WindowAccess}
import proofmill.spec.{Block, Spec}
import proofmill.stream.Word
import spinal.core._
import spinal.lib._

/** A coprocessor for BLS12-381: data and instruction memories behind a window of registers, an executor of programs, and the pairing processor.
  *
  * {{{
  *             ┌─► Instructions ─► Executor ─ interrupts ─► reply
  *   window ─► RegisterPort        │   │ jobs
  *             └─────► DataMemory ◄┘   ▼
  *                      └─ slots ─► PairingProcessor
  * }}}
  */
class CoprocessorEngine(config: CoprocessorConfig) extends Engine {
  private val table = Spec.table("wire/coprocessor")
  val commands: Seq[EnginePacket] = Seq.empty
  override val longestUnsolicited: Int =
    Spec.int(table.getTable("interrupt"), "len") + InstructionSet.types.map(_.slots).max * 48
  val capability: Int = Spec.int(Spec.table("wire/shell").getTable("capabilities"), "coprocessor_bls12_381")
  val block: Block = Block(table)
  private val map = Spec.table("wire/shell").getTable("address_map").getTable("coprocessor")
  val parameters: Map[String, BigInt] = Map(
    "window" -> Spec.int(map, "base"),
    "window_bytes" -> Spec.int(map, "size"),
    "multipliers" -> 2
  )
  val resets: Map[String, BigInt] = Map.empty
  def control: Map[String, Bits] = Map.empty

  val command = slave(Word.payload) // unused, always ready: this engine has no commands
  val reply = master(Word.packets) // interrupt packets
  command.ready := True
  val port = slave(Window(Spec.int(map, "base"), Spec.int(map, "size"))) // the engine's window in the register map
  override def window: Option[Window] = Some(port)

  private val slotMap = SlotMap(config.log2Data)
  private val pairing = config.machine
  private val processor = pairing.processor(slotMap.bits)
  private val instructions = new Instructions(config.log2Instructions)
  private val data = new DataMemory(config.log2Data, slotMap.bits, pairing.field.bits, pairing.field.modulus)
  private val executor = new Executor(config, slotMap)
  private val registers = new RegisterPort(config, slotMap, pairing.field.bits)

  processor.io.write << data.io.write
  data.io.writing := processor.io.writing
  processor.io.read << data.io.read
  data.io.value << processor.io.value
  // Jobs are registered; one starts when its context is free.
  private val starts = RegNext(executor.io.start.fire, init = False)
  executor.io.start.ready := !starts && processor.io.start.ready
  processor.io.start.valid := starts
  processor.io.start.payload := RegNext(executor.io.start.payload)
  executor.io.startContext := processor.io.startContext
  executor.io.ended := processor.io.ended
  executor.io.checked := processor.io.checked
  processor.io.verdict << executor.io.verdict
  processor.io.entries := executor.io.entries
  executor.io.entryRead := processor.io.entryRead
  executor.io.entryContext := processor.io.entryContext
  executor.io.idle := processor.io.idle && !starts
  processor.io.done.ready := True

  data.io.executor << executor.io.data
  executor.io.response := data.io.response
  data.io.typeSlots := executor.io.typeSlots
  executor.io.types := data.io.types
  instructions.io.fetchSlot := executor.io.fetchSlot
  executor.io.fetched := instructions.io.fetched
  reply << executor.io.reply

  registers.io.window << port
  data.io.host << registers.io.data
  registers.io.response := data.io.response
  data.io.clear := registers.io.clearData
  instructions.io.clear := registers.io.clearInstructions
  registers.io.clearing := data.io.clearing || instructions.io.clearing
  instructions.io.write << registers.io.instruction
  instructions.io.hostSlot := registers.io.readSlot
  registers.io.readData := instructions.io.hostData
  registers.io.pointer := executor.io.pointer
  executor.io.jump << registers.io.jump
  registers.io.error := executor.io.error
  executor.io.clearError := registers.io.clearError
  executor.io.dataLog2 := registers.io.dataLog2
  executor.io.instructionsLog2 := registers.io.instructionsLog2
  registers.io.lastCycles := executor.io.lastCycles

  private def count(event: Bool): Bits = {
    val value = Reg(UInt(64 bits)) init 0
    when(RegNext(event, init = False))(value := value + 1)
    value.asBits
  }
  val done, interrupts, busyCycles = out(Bits(64 bits)) // counters: ended instructions, interrupts, cycles with `busy`
  done := count(executor.io.executed)
  interrupts := count(executor.io.sent)
  busyCycles := count(executor.io.busy)
  def status: Map[String, Bits] =
    Map("instructions" -> done, "interrupts" -> interrupts, "busy_cycles" -> busyCycles)
  val busy = out(Bool()) // level: the executor is busy; the STATUS reply reports it
  busy := executor.io.busy
  override def working: Option[Bool] = Some(busy)
}
