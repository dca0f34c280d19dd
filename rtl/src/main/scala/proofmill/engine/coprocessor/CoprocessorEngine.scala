package proofmill.engine.coprocessor

import proofmill.engine.{Engine, EnginePacket, Window, WindowAccess}
import proofmill.spec.{Block, Spec}
import proofmill.stream.Word
import spinal.core._
import spinal.lib._

/** Programs on BLS12-381: memories behind a window of registers, a machine that executes what is there, and the pairing processor.
  *
  * {{{
  *             ┌─► Instructions ─► Executor ─ interrupts ─► reply
  *   window ─► RegisterDoor        │   │ programs
  *             └─────► DataMemory ◄┘   ▼
  *                      └─ slots ─► PairingProcessor
  * }}}
  */
class CoprocessorEngine(config: CoprocessorConfig) extends Engine {
  private val table = Spec.table("wire/coprocessor")
  val commands: Seq[EnginePacket] = Seq.empty
  override val longestUnasked: Int =
    Spec.int(table.getTable("interrupt"), "len") + InstructionSet.kinds.map(_.slots).max * 48
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

  val command = slave(Word.payload)
  val reply = master(Word.packets)
  command.ready := True
  val port = slave(Window(Spec.int(map, "base"), Spec.int(map, "size")))
  override def window: Option[Window] = Some(port)

  private val places = Places(config.log2Data)
  private val pairing = config.machine
  private val processor = pairing.processor(places.bits)
  private val instructions = new Instructions(config.log2Instructions)
  private val data = new DataMemory(config.log2Data, places.bits, pairing.field.bits, pairing.field.modulus)
  private val machine = new Executor(config, places)
  private val door = new RegisterDoor(config, places, pairing.field.bits)

  processor.io.write << data.io.write
  data.io.writing := processor.io.writing
  processor.io.read << data.io.read
  data.io.value << processor.io.value
  // A job stands in a register before it begins; it is taken when its context is free.
  private val starts = RegNext(machine.io.start.fire, init = False)
  machine.io.start.ready := !starts && processor.io.start.ready
  processor.io.start.valid := starts
  processor.io.start.payload := RegNext(machine.io.start.payload)
  machine.io.context := processor.io.context
  machine.io.over := processor.io.over
  machine.io.checked := processor.io.checked
  processor.io.verdict << machine.io.verdict
  processor.io.entries := machine.io.entries
  machine.io.taken := processor.io.taken
  machine.io.reader := processor.io.reader
  machine.io.idle := processor.io.idle && !starts
  processor.io.done.ready := True

  data.io.machine << machine.io.data
  machine.io.found := data.io.found
  data.io.look := machine.io.look
  machine.io.kinds := data.io.kinds
  instructions.io.fetch := machine.io.fetch
  machine.io.fetched := instructions.io.fetched
  reply << machine.io.reply

  door.io.port << port
  data.io.host << door.io.data
  door.io.found := data.io.found
  data.io.clear := door.io.clearData
  instructions.io.clear := door.io.clearInstructions
  door.io.clearing := data.io.clearing || instructions.io.clearing
  instructions.io.write << door.io.instruction
  instructions.io.show := door.io.show
  door.io.shown := instructions.io.shown
  door.io.pointer := machine.io.pointer
  machine.io.jump << door.io.jump
  door.io.error := machine.io.error
  machine.io.forgive := door.io.forgive
  machine.io.dataLog2 := door.io.dataLog2
  machine.io.instructionsLog2 := door.io.instructionsLog2
  door.io.lastCycles := machine.io.lastCycles

  private def count(event: Bool): Bits = {
    val value = Reg(UInt(64 bits)) init 0
    when(RegNext(event, init = False))(value := value + 1)
    value.asBits
  }
  val done, interrupts, busyCycles = out(Bits(64 bits))
  done := count(machine.io.executed)
  interrupts := count(machine.io.sent)
  busyCycles := count(machine.io.busy)
  def status: Map[String, Bits] =
    Map("instructions" -> done, "interrupts" -> interrupts, "busy_cycles" -> busyCycles)
  val busy = out(Bool())
  busy := machine.io.busy
  override def working: Option[Bool] = Some(busy)
}
