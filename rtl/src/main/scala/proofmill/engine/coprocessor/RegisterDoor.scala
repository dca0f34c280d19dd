package proofmill.engine.coprocessor

import proofmill.engine.{Window, WindowAccess}
import proofmill.spec.Spec
import spinal.core._
import spinal.lib._

/** The registers and memories as the host sees them, 32 bits at a time; accesses are whole words.
  *
  * 1. Idle: a register is answered at once. Nothing is answered while a memory is cleared.
  * 2. Instruction: its memory is read.
  * 3. Data: the slot is asked for, or put.
  */
class RegisterDoor(config: CoprocessorConfig, places: Places, bits: Int) extends Component {
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
    val port =
      slave(Window(Spec.int(map.getTable("coprocessor"), "base"), Spec.int(map.getTable("coprocessor"), "size")))
    val data = master(Stream(Ask(places.bits, bits)))
    val found = in(Found(bits))
    val clearData, clearInstructions = out(Bool())
    val clearing = in(Bool())
    val instruction = master(Flow(InstructionWrite(config.log2Instructions)))
    val show = out(UInt(config.log2Instructions bits))
    val shown = in(Bits(Instructions.bits bits))
    val pointer = in(UInt(config.log2Instructions bits))
    val jump = master(Flow(UInt(config.log2Instructions bits)))
    val error = in(Bits(32 bits))
    val forgive = out(Bool())
    val lastCycles = in(UInt(32 bits))
    val dataLog2, instructionsLog2 = out(UInt(4 bits)) // of the slots that programs have
  }
  private object State extends SpinalEnum { val Idle, Instruction, Data = newElement() }
  import State._
  private val state = RegInit(Idle)
  private val access = io.port.access
  private val offset = access.offset
  private val write = access.data

  private def inside(name: String, log2: Int): (Bool, UInt, UInt) = {
    val (base, stride) = (part(name, "base"), part(name, "stride"))
    val from = offset - base
    val there = offset >= base && from < (stride << log2)
    (there, (from >> log2Up(stride)).resize(log2), from.resize(log2Up(stride)))
  }
  private val (isInstruction, instruction, half) = inside("instructions", config.log2Instructions)
  private val (isData, shown, byte) = inside("data", CoprocessorConfig.published)
  private val pageBits = config.log2Data - CoprocessorConfig.published
  private val page = Option.when(pageBits > 0)(Reg(UInt(pageBits bits)) init 0)
  private val slot = page.fold(shown)(_ @@ shown)

  // How many slots programs have, of larger memories.
  private val sizes = Seq("data" -> config.log2Data, "instructions" -> config.log2Instructions).map {
    case (memory, most) =>
      val log2 = U(CoprocessorConfig.published, 4 bits)
      (s"log2_$memory", if (config.isLarger) RegInit(log2) else log2, most)
  }
  io.dataLog2 := sizes(0)._2
  io.instructionsLog2 := sizes(1)._2
  private val low = Reg(Bits(32 bits))
  private val staged = Vec(Seq.fill(words)(Reg(Bits(32 bits))))
  private val whole = write ## staged.asBits

  io.instruction.valid := False
  io.instruction.slot := instruction
  io.instruction.word := (write ## low).resized
  io.show := instruction
  io.data.valid := False
  io.data.task := access.write ? Task.Put | Task.Integer
  io.data.slot := slot.resized
  io.data.count := 1
  io.data.value := whole.takeLow(bits)
  io.data.kind := whole.takeHigh(slotBits - bits)
  io.clearData := False
  io.clearInstructions := False
  io.jump.valid := False
  io.jump.payload := write.asUInt.resized
  io.forgive := False
  access.ready := False
  io.port.answer := Spec.big(map, "unmapped")

  private def answer(word: Bits): Unit = io.port.answer := word.resized
  private val commits = byte === part("data", "commit")
  switch(state) {
    is(Idle)(when(access.valid && !io.clearing) {
      access.ready := True
      when(isData) {
        when(!access.write && byte < part("data", "bytes") || access.write && commits) {
          access.ready := False
          state := Data
        }
        answer(B(0, 32 bits))
        when(access.write)(for (i <- 0 until words) when(byte === 4 * i)(staged(i) := write))
      } elsewhen isInstruction {
        when(access.write) {
          when(half === 0)(low := write) otherwise (io.instruction.valid := True)
        } otherwise {
          access.ready := False
          state := Instruction
        }
      } elsewhen access.write {
        def at(name: String) = offset === offsets(name)
        when(at("clear")) {
          // The next access waits until it is done.
          io.clearInstructions := write(0)
          io.clearData := write(1)
        }
        io.jump.valid := at("pointer")
        io.forgive := at("error")
        if (config.isLarger) {
          val size = write.asUInt
          for ((name, log2, most) <- sizes)
            when(at(name) && size >= CoprocessorConfig.published && size <= most)(log2 := size.resized)
          for (page <- page) when(at("page"))(page := size.resized)
        }
      } otherwise {
        def reads(name: String)(word: Bits): Unit = when(offset === offsets(name))(answer(word))
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
        reads("extensions")(fact(RegisterDoor.extensions))
      }
    })
    is(Instruction) {
      answer((half === 0) ? io.shown.takeLow(32) | io.shown.dropLow(32).resize(32))
      access.ready := True
      state := Idle
    }
    is(Data) {
      io.data.valid := True
      val all = (io.found.kind ## io.found.value).subdivideIn(32 bits)
      answer(all(byte(5 downto 2).resize(log2Up(all.size))))
      access.ready := io.data.ready
      when(io.data.ready)(state := Idle)
    }
  }
}

object RegisterDoor {

  /** A bit for each instruction of our own. */
  val extensions: BigInt =
    InstructionSet.opcodes.filter(o => o.number >= InstructionSet.extensions)
      .map(o => BigInt(1) << (o.number - InstructionSet.extensions)).sum
}
