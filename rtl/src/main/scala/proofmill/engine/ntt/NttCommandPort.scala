package proofmill.engine.ntt

import proofmill.engine.CommandParser
import proofmill.spec.{Command, Spec}
import proofmill.stream.Word
import spinal.core._
import spinal.lib._

/** The commands, in the order of `Engine.commands`. */
object NttCommand extends SpinalEnum(binarySequential) {
  val write, run, read = newElement()
}

/** Processes one command at a time, and replies before it accepts the next one.
  *
  * | state         | action                                                          | next                                     |
  * |:--------------|:----------------------------------------------------------------|:-----------------------------------------|
  * | Index         | registers the command's index                                   | Fields                                   |
  * | Fields        | registers the fields                                            | Check                                    |
  * | Check         | waits until the registered checks of the fields are valid       | Execute                                  |
  * | Execute       | dispatches the command                                          | Address; AwaitRun; Drain or Reply if it is invalid |
  * | Drain         | discards the data of an invalid write                           | Reply                                    |
  * | Address       | offers the burst's address                                      | WriteData, or ReadData                   |
  * | WriteData     | packs the words of a write into beats                           | AwaitResponse                            |
  * | AwaitResponse | waits for the response of the write                             | Reply                                    |
  * | ReadData      | keeps the words of a read until all of them are there           | Reply                                    |
  * | AwaitRun      | waits for the outcome of a run                                  | Reply                                    |
  * | Reply         | sends the reply                                                 | Index                                    |
  *
  * @param commands in the order of [[NttCommand]]
  */
class NttCommandPort(config: NttConfig, commands: Seq[Command]) extends Component {
  import config.{channels, laneBits, memoryBits}
  private val Seq(write, run, read) = commands
  private val granule = NttConfig.granule / NttConfig.beat
  val io = new Bundle {

    /** Words of command packets, the packet's number above each. */
    val command = slave(Stream(Fragment(Bits(64 + 2 bits))))
    val reply = master(Word.packets) // one packet per command, before the next command is accepted

    /** Valid runs. */
    val run = master(Stream(NttRun(config)))
    val outcome = slave(Stream(NttOutcome())) // the outcome of the accepted run

    /** Memory, a granule at a time: its channel, valid with either address. */
    val channel = out(UInt(8 bits))
    val beat = out(UInt(memoryBits - 6 bits)) // first beat of the granule in that channel, valid with either address
    val readAddress, writeAddress = master(Event) // memory: a burst of a granule is requested

    /** Memory: the data of a write. */
    val writeData = master(Stream(Fragment(Bits(512 bits))))
    val response = slave(Stream(Bool())) // the response to a write; high: it failed

    /** Memory: the data of a read. */
    val readData = slave(Stream(Fragment(Bits(512 bits))))
    val readFault = in(Bool()) // level, valid with each beat of `readData`: it had an error

    /** Pulse: the reply of a run was sent. */
    val answered = out(Bool())
  }
  val parser = new CommandParser(io.command, fields = 12)
  import parser.{field, index, word}
  private val arriving = NttCommand()
  arriving.assignFromBits(parser.number)
  val kind = Reg(NttCommand())

  // The address of a granule.
  private val target = field.last
  private val granuleInvalid = RegNext(
    target.drop(56).asUInt >= channels || target.take(56).drop(memoryBits).orR || unaligned(target)
  )
  io.channel := target.takeHigh(8).asUInt
  io.beat := (target >> 6).resized
  private def unaligned(address: UInt): Bool = address.take(log2Up(NttConfig.granule)).orR

  // The fields of a run, and whether it lies in the memory.
  private val Seq(elements, scratch, sizes, count) = field.take(4).toSeq
  private val shift = Cat(field.slice(4, 8)).asUInt
  private val scale = Cat(field.slice(8, 12)).asUInt
  private val log = sizes.take(32).asUInt
  private val direction = sizes.drop(32).asUInt
  private val p = config.field.modulus
  private val room = BigInt(1) << memoryBits
  private val logInvalid = log < config.leastLog || log > config.mostLog
  private val logBytes = log.resize(5) - laneBits + 6 // bytes of a transform in a channel
  private val bytes = RegNext((U(1, memoryBits + 1 bits) |<< logBytes).resize(memoryBits + 1))
  private val most = RegNext(U(room, memoryBits + 1 bits) |>> logBytes) // transforms that the memory has space for
  private val countInvalid = RegNext(count === 0 || count > most.resize(64))
  private val total = RegNext((count.resize(memoryBits + 1) |<< logBytes).resize(memoryBits + 2))
  private def beyond(address: UInt, length: UInt) =
    RegNext(address.drop(memoryBits + 1).orR || (address.resize(memoryBits + 2) + length.resize(memoryBits + 2)) > room)
  private val toScalars = direction === NttCommandPort.direction("a_b_less_c_to_scalars")
  private val isProduct = direction === NttCommandPort.direction("a_b_less_c") || toScalars
  private val scalarsInvalid = config.scalarBits.fold(True) { bits =>
    val end = scratch.resize(bits + 1) +^ (bytes << log2Up(channels)).resize(bits + 1)
    RegNext(scratch.drop(bits + 1).orR || end > (BigInt(1) << bits))
  }
  private val needsScratch = log > config.passLog && !isProduct
  private val runInvalid = RegNext(
    Seq(
      logInvalid,
      direction > NttCommandPort.direction(if (config.scalarBits.isEmpty) "a_b_less_c" else "a_b_less_c_to_scalars"),
      isProduct && (log < config.unitLog || count =/= 3),
      unaligned(elements),
      unaligned(scratch),
      countInvalid,
      beyond(elements, total),
      needsScratch && beyond(scratch, bytes),
      toScalars && scalarsInvalid,
      shift >= p,
      scale >= p
    ).orR
  )
  io.run.source := (elements >> 6).resized
  io.run.scratch := (scratch >> 6).resized
  io.run.log := log.resized
  io.run.inverse := direction === NttCommandPort.direction("inverse")
  io.run.product := isProduct
  io.run.scalars := toScalars
  io.run.scalar := (scratch >> 6).resized
  io.run.count := count.resized
  io.run.shift := shift.asBits.resized
  io.run.scale := scale.asBits.resized

  object State extends SpinalEnum {
    val Index, Fields, Check, Execute, Drain, Address, WriteData, AwaitResponse, ReadData, AwaitRun, Reply =
      newElement()
  }
  val state = RegInit(State.Index)
  val status = Reg(NttStatus())
  val outcome = Reg(NttOutcome())
  val settle = Reg(UInt(3 bits)) // cycles left in Check
  val number = Reg(UInt(8 bits)) // index of a word or beat

  // A granule's words and beats.
  val beat = Reg(Bits(512 bits))
  val beatFull = RegInit(False)
  val words64 = Mem(Bits(64 bits), NttConfig.granule / 8)
  val readBeat = Reg(Bits(512 bits))
  val packed, left =
    Reg(UInt(3 bits)) init 0 // words in the beat to write; words after the next one of the beat that was read
  val wordsLeft = RegInit(False) // a beat that was read has words left

  io.command.ready := False
  io.run.valid := False
  io.outcome.ready := False
  io.readAddress.valid := False
  io.writeAddress.valid := False
  io.writeData.valid := beatFull
  io.writeData.fragment := beat
  io.writeData.last := RegNext(number === granule - 1) // a beat's words take longer
  io.response.ready := False
  io.readData.ready := False
  io.answered := False

  // A reply's words.
  private val isRun = kind === NttCommand.run
  private val isRead = kind === NttCommand.read
  private val words = isRun ? U(run.replyBytes / 8, 8 bits) | (isRead ? U(read.replyBytes / 8, 8 bits) | U(3, 8 bits))
  private val nextNumber = (io.reply.fire) ? (number + 1) | number
  private val data = words64.readSync((nextNumber - 3).resize(7))
  private val code = status.mux(
    NttStatus.done -> B(NttCommandPort.code("done"), 64 bits),
    NttStatus.refused -> B(NttCommandPort.code("refused"), 64 bits),
    NttStatus.memoryFault -> B(NttCommandPort.code("memory_fault"), 64 bits),
    NttStatus.notCanonical -> B(NttCommandPort.code("not_canonical"), 64 bits)
  )
  private def headerOf(command: Command) = B(command.reply, 32 bits) ## B(command.replyBytes, 32 bits)
  private val header = isRun ? headerOf(run) | (isRead ? headerOf(read) | headerOf(write))
  io.reply.valid := state === State.Reply
  io.reply.last := number === words - 1
  io.reply.keep := B(0xff, 8 bits)
  when(kind === NttCommand.write && io.reply.last)(io.reply.keep := Word.keepOf(write.replyBytes))
  private val counts = number.mux(
    3 -> outcome.element.asBits,
    4 -> outcome.first.asBits,
    5 -> outcome.last.asBits,
    default -> B(0, 64 bits)
  )
  private val rest = isRun ? counts | data
  io.reply.data := number.mux(
    0 -> header,
    1 -> index,
    2 -> code,
    default -> ((status === NttStatus.done || isRun) ? rest | B(0, 64 bits))
  )

  switch(state) {
    is(State.Index) {
      kind := arriving
      parser.takeIndex(state := State.Fields)
      settle := 7
      status := NttStatus.refused
      outcome.element := 0
      outcome.first := 0
      outcome.last := 0
      number := 0
    }
    is(State.Fields)(parser.takeFields(hasData = kind === NttCommand.write)(state := State.Check))
    is(State.Check) {
      settle := settle - 1
      when(settle === 0)(state := State.Execute)
    }
    is(State.Execute) {
      switch(kind) {
        is(NttCommand.write)(state := granuleInvalid ? State.Drain | State.Address)
        is(NttCommand.read)(state := granuleInvalid ? State.Reply | State.Address)
        is(NttCommand.run) {
          io.run.valid := !runInvalid
          when(runInvalid)(state := State.Reply)
          when(io.run.fire)(state := State.AwaitRun)
        }
      }
    }
    is(State.Drain)(parser.drain(state := State.Reply))
    is(State.Address) {
      io.writeAddress.valid := kind === NttCommand.write
      io.readAddress.valid := kind === NttCommand.read
      when(io.writeAddress.fire)(state := State.WriteData)
      when(io.readAddress.fire) {
        state := State.ReadData
        status := NttStatus.done
      }
    }
    is(State.WriteData) {
      val taken = io.writeData.fire
      val ends = io.writeData.last && taken
      io.command.ready := !beatFull || (taken && !io.writeData.last)
      when(taken) {
        beatFull := False
        number := number + 1
      }
      when(io.command.fire) {
        beat := word ## beat.dropLow(64)
        packed := packed + 1
        when(packed === 7)(beatFull := True)
      }
      when(ends)(state := State.AwaitResponse)
    }
    is(State.AwaitResponse) {
      io.response.ready := True
      number := 0
      when(io.response.valid) {
        status := io.response.payload ? NttStatus.memoryFault | NttStatus.done
        state := State.Reply
      }
    }
    is(State.ReadData) {
      io.readData.ready := !wordsLeft
      when(!wordsLeft) {
        wordsLeft := io.readData.valid
        left := 7
        when(io.readData.valid && io.readFault)(status := NttStatus.memoryFault)
      } otherwise {
        left := left - 1
        when(left === 0)(wordsLeft := False)
        number := number + 1
        when(number === NttConfig.granule / 8 - 1) {
          number := 0
          state := State.Reply
        }
      }
    }
    is(State.AwaitRun) {
      io.outcome.ready := True
      when(io.outcome.valid) {
        outcome := io.outcome.payload
        status := io.outcome.status
        state := State.Reply
      }
    }
    is(State.Reply) {
      when(io.reply.fire) {
        number := number + 1
        when(io.reply.last) {
          state := State.Index
          io.answered := isRun
        }
      }
    }
  }
  readBeat := wordsLeft ? (readBeat |>> 64) | io.readData.fragment // without effect until it is valid
  words64.write(number.resize(7), readBeat.takeLow(64), wordsLeft)
}

object NttCommandPort {
  private def code(name: String) = Spec.int(NttEngine.wire.getTable("status"), name)
  private def direction(name: String) = Spec.int(NttEngine.wire.getTable("directions"), name)
}
