package proofmill.engine.coprocessor

import proofmill.engine.{Window, WindowAccess}
import proofmill.spec.Spec
import spinal.core._
import spinal.lib._

/** The registers and memories of the engine in its window of the register map. Accesses are words of 32 bits.
  *
  * | state           | action                                                                 | next |
  * |:----------------|:-----------------------------------------------------------------------|:-----|
  * | Idle            | registers: responds in the same cycle; waits while a memory is cleared | ReadInstruction, AccessData |
  * | ReadInstruction | responds with a word of instruction memory                             | Idle |
  * | AccessData      | reads a slot of data memory, or writes one                             | Idle |
  *
  * The words of a slot are staged, and written with the last one.
  */
class RegisterPort(config: CoprocessorConfig, slotMap: SlotMap, bits: Int) extends Component {
  private val wire = Spec.table("wire/coprocessor")
  private val map = Spec.table("wire/shell").getTable("address_map")
  private def part(name: String, key: String) = Spec.int(wire.getTable(name), key)
  private val offsets = {
    val rows = wire.getTable("window").getArray("registers")
    (0 until rows.size).map(rows.getTable).map(row => row.getString("name") -> Spec.int(row, "offset")).toMap
  }
  private val slotBits = 8 * part("data", "bytes")
  private val words = part("data", "commit") / 4
  val io = new Bundle {

    /** The window. */
    val window =
      slave(Window(Spec.int(map.getTable("coprocessor"), "base"), Spec.int(map.getTable("coprocessor"), "size")))

    /** Data memory: requests. */
    val data = master(Stream(DataRequest(slotMap.bits, bits)))
    val response = in(DataResponse(bits)) // the response, valid while `data` fires

    /** Pulses that start clearing a memory. */
    val clearData, clearInstructions = out(Bool())
    val clearing = in(Bool()) // level: one of the memories is being cleared; accesses wait

    /** Instruction memory: writes. */
    val instruction = master(Flow(InstructionWrite(config.log2Instructions)))
    val readSlot = out(UInt(config.log2Instructions bits)) // instruction memory: the slot to read, always valid
    val readData = in(Bits(Instructions.bits bits)) // the instruction in `readSlot`, one cycle later

    /** Executor: its instruction pointer. */
    val pointer = in(UInt(config.log2Instructions bits))
    val jump = master(Flow(UInt(config.log2Instructions bits))) // executor: a pulse with a new instruction pointer

    /** Executor: its first error since it was cleared, or 0. */
    val error = in(Bits(32 bits))
    val clearError = out(Bool()) // executor: a pulse that clears `error`
    val lastCycles = in(UInt(32 bits)) // executor: cycles of the last arithmetic instruction that ended

    /** log2 of the number of slots that programs have. */
    val dataLog2, instructionsLog2 = out(UInt(4 bits))
  }
  private object State extends SpinalEnum { val Idle, ReadInstruction, AccessData = newElement() }
  import State._
  private val state = RegInit(Idle)
  private val access = io.window.access
  private val offset = access.offset
  private val write = access.data

  private def inside(name: String, log2: Int): (Bool, UInt, UInt) = {
    val (base, stride) = (part(name, "base"), part(name, "stride"))
    val from = offset - base
    val hit = offset >= base && from < (stride << log2)
    (hit, (from >> log2Up(stride)).resize(log2), from.resize(log2Up(stride)))
  }
  private val (isInstruction, instruction, byteOfInstruction) = inside("instructions", config.log2Instructions)
  private val (isData, slotInPage, byte) = inside("data", CoprocessorConfig.published)
  private val pageBits = config.log2Data - CoprocessorConfig.published
  private val page = Option.when(pageBits > 0)(Reg(UInt(pageBits bits)) init 0)
  private val slot = page.fold(slotInPage)(_ @@ slotInPage)

  // log2 of the number of slots that programs have; the host sets it if memories are larger than published.
  private val sizes = Seq("data" -> config.log2Data, "instructions" -> config.log2Instructions).map {
    case (memory, most) =>
      val log2 = U(CoprocessorConfig.published, 4 bits)
      (s"log2_$memory", if (config.isLarger) RegInit(log2) else log2, most)
  }
  io.dataLog2 := sizes(0)._2
  io.instructionsLog2 := sizes(1)._2
  private val lowWord = Reg(Bits(32 bits))
  private val staged = Vec(Seq.fill(words)(Reg(Bits(32 bits))))
  private val whole = write ## staged.asBits

  io.instruction.valid := False
  io.instruction.slot := instruction
  io.instruction.word := (write ## lowWord).resized
  io.readSlot := instruction
  io.data.valid := False
  io.data.operation := access.write ? DataOperation.WriteInteger | DataOperation.ReadInteger
  io.data.slot := slot.resized
  io.data.count := 1
  io.data.value := whole.takeLow(bits)
  io.data.slotType := whole.takeHigh(slotBits - bits)
  io.clearData := False
  io.clearInstructions := False
  io.jump.valid := False
  io.jump.payload := write.asUInt.resized
  io.clearError := False
  access.ready := False
  io.window.answer := Spec.big(map, "unmapped")

  private def respond(word: Bits): Unit = io.window.answer := word.resized
  private val commits = byte === part("data", "commit")
  switch(state) {
    is(Idle)(when(access.valid && !io.clearing) {
      access.ready := True
      when(isData) {
        when(!access.write && byte < part("data", "bytes") || access.write && commits) {
          access.ready := False
          state := AccessData
        }
        respond(B(0, 32 bits))
        when(access.write)(for (i <- 0 until words) when(byte === 4 * i)(staged(i) := write))
      } elsewhen isInstruction {
        when(access.write) {
          when(byteOfInstruction === 0)(lowWord := write) otherwise (io.instruction.valid := True)
        } otherwise {
          access.ready := False
          state := ReadInstruction
        }
      } elsewhen access.write {
        def at(name: String) = offset === offsets(name)
        when(at("clear")) {
          // The next access waits for the end.
          io.clearInstructions := write(0)
          io.clearData := write(1)
        }
        io.jump.valid := at("pointer")
        io.clearError := at("error")
        if (config.isLarger) {
          val size = write.asUInt
          for ((name, log2, most) <- sizes)
            when(at(name) && size >= CoprocessorConfig.published && size <= most)(log2 := size.resized)
          for (page <- page) when(at("page"))(page := size.resized)
        }
      } otherwise {
        def reads(name: String)(word: Bits): Unit = when(offset === offsets(name))(respond(word))
        def fact(value: BigInt) = B(value, 32 bits)
        reads("instruction_base")(fact(part("instructions", "base")))
        reads("data_base")(fact(part("data", "base")))
        for ((name, log2, _) <- sizes) reads(name)(log2.asBits.resize(32))
        if (config.isLarger) {
          reads("most_log2")(fact(config.log2Data | (config.log2Instructions << 8)))
          reads("page")(page.fold(B(0, 32 bits))(_.asBits.resize(32)))
        }
        reads("pointer")(io.pointer.asBits)
        reads("last_cycles")(io.lastCycles.asBits)
        reads("error")(io.error)
        reads("extensions")(fact(RegisterPort.extensions))
      }
    })
    is(ReadInstruction) {
      respond((byteOfInstruction === 0) ? io.readData.takeLow(32) | io.readData.dropLow(32).resize(32))
      access.ready := True
      state := Idle
    }
    is(AccessData) {
      io.data.valid := True
      val all = (io.response.slotType ## io.response.value).subdivideIn(32 bits)
      respond(all(byte(5 downto 2).resize(log2Up(all.size))))
      access.ready := io.data.ready
      when(io.data.ready)(state := Idle)
    }
  }
}

object RegisterPort {

  /** A bit for each instruction of our own. */
  val extensions: BigInt =
    InstructionSet.opcodes.filter(o => o.number >= InstructionSet.extensions)
      .map(o => BigInt(1) << (o.number - InstructionSet.extensions)).sum
}
