package proofmill.engine.ntt

import proofmill.spec.{Command, Spec}
import proofmill.stream.Word
import spinal.core._
import spinal.lib._

/** The commands, in the order of `Engine.commands`. */
object Kind extends SpinalEnum(binarySequential) {
  val write, run, read = newElement()
}

/** Takes commands one after the other, and answers each before it takes the next.
  *
  *   1. Index: the command's first word.
  *   2. Fields: the words up to the data of a write, or up to the end.
  *   3. Act: what is refused is answered, after a write's data was swallowed (Drop).
  *   4. Address, Data, Response: a granule to the memory. Address, Fetch: one from there, kept until all of it is there.
  *   5. Work: a run, until its outcome.
  *   6. Reply.
  *
  * @param commands in the order of [[Kind]]
  */
class CommandDoor(config: NttConfig, commands: Seq[Command]) extends Component {
  import config.{channels, laneBits, memoryBits}
  private val Seq(write, run, read) = commands
  private val fields = 12 // of a run, without the index
  private val granule = NttConfig.granule / NttConfig.beat
  val io = new Bundle {
    val command = slave(Stream(Fragment(Bits(64 + 2 bits))))
    val reply = master(Word.packets)
    val run = master(Stream(Run(config)))
    val outcome = slave(Stream(Outcome()))

    /** A granule of a channel from a beat on. */
    val channel = out(UInt(8 bits))
    val beat = out(UInt(memoryBits - 6 bits))
    val readAddress, writeAddress = master(Event)
    val writeData = master(Stream(Fragment(Bits(512 bits))))
    val response = slave(Stream(Bool())) // whether the write failed
    val readData = slave(Stream(Fragment(Bits(512 bits))))
    val readFault = in(Bool())
    val answered = out(Bool()) // a run
  }
  private val word = io.command.fragment.takeLow(64)
  private val arriving = Kind()
  arriving.assignFromBits(io.command.fragment.dropLow(64))

  val kind = Reg(Kind())
  val index = Reg(Bits(64 bits))
  val field = Vec.fill(fields)(Reg(UInt(64 bits))) // the last one on top

  // What a granule's address says.
  private val where = field.last
  private val granuleBad = RegNext(
    where.drop(56).asUInt >= channels || where.take(56).drop(memoryBits).orR || unaligned(where)
  )
  io.channel := where.takeHigh(8).asUInt
  io.beat := (where >> 6).resized
  private def unaligned(address: UInt): Bool = address.take(log2Up(NttConfig.granule)).orR

  // What a run's fields say, and whether it lies in the memory.
  private val Seq(elements, scratch, sizes, count) = field.take(4).toSeq
  private val shift = Cat(field.slice(4, 8)).asUInt
  private val scale = Cat(field.slice(8, 12)).asUInt
  private val log = sizes.take(32).asUInt
  private val direction = sizes.drop(32).asUInt
  private val p = config.field.modulus
  private val room = BigInt(1) << memoryBits
  private val logBad = log < config.leastLog || log > config.mostLog
  private val logBytes = log.resize(5) - laneBits + 6 // of a transform in a channel
  private val bytes = RegNext((U(1, memoryBits + 1 bits) |<< logBytes).resize(memoryBits + 1))
  private val most = RegNext(U(room, memoryBits + 1 bits) |>> logBytes) // transforms
  private val countBad = RegNext(count === 0 || count > most.resize(64))
  private val total = RegNext((count.resize(memoryBits + 1) |<< logBytes).resize(memoryBits + 2))
  private def beyond(address: UInt, length: UInt) =
    RegNext(address.drop(memoryBits + 1).orR || (address.resize(memoryBits + 2) + length.resize(memoryBits + 2)) > room)
  private val toScalars = direction === CommandDoor.direction("a_b_less_c_to_scalars")
  private val isProduct = direction === CommandDoor.direction("a_b_less_c") || toScalars
  private val scalarsBad = config.scalarBits.fold(True) { bits =>
    val end = scratch.resize(bits + 1) +^ (bytes << log2Up(channels)).resize(bits + 1)
    RegNext(scratch.drop(bits + 1).orR || end > (BigInt(1) << bits))
  }
  private val needsScratch = log > config.passLog && !isProduct
  private val runBad = RegNext(
    Seq(
      logBad,
      direction > CommandDoor.direction(if (config.scalarBits.isEmpty) "a_b_less_c" else "a_b_less_c_to_scalars"),
      isProduct && (log < config.unitLog || count =/= 3),
      unaligned(elements),
      unaligned(scratch),
      countBad,
      beyond(elements, total),
      needsScratch && beyond(scratch, bytes),
      toScalars && scalarsBad,
      shift >= p,
      scale >= p
    ).orR
  )
  io.run.source := (elements >> 6).resized
  io.run.scratch := (scratch >> 6).resized
  io.run.log := log.resized
  io.run.inverse := direction === CommandDoor.direction("inverse")
  io.run.product := isProduct
  io.run.scalars := toScalars
  io.run.scalar := (scratch >> 6).resized
  io.run.count := count.resized
  io.run.shift := shift.asBits.resized
  io.run.scale := scale.asBits.resized

  object State extends SpinalEnum {
    val Index, Fields, Settle, Act, Drop, Address, Data, Response, Fetch, Work, Reply = newElement()
  }
  val state = RegInit(State.Index)
  val status = Reg(Status())
  val outcome = Reg(Outcome())
  val settle = Reg(UInt(3 bits))
  val number = Reg(UInt(8 bits)) // of a word or beat

  // A granule's words and beats.
  val beat = Reg(Bits(512 bits))
  val whole = RegInit(False)
  val kept = Mem(Bits(64 bits), NttConfig.granule / 8)
  val fetched = Reg(Bits(512 bits))
  val came, left =
    Reg(UInt(3 bits)) init 0 // words that came of one to write, that follow the next one of one that was read
  val some = RegInit(False) // a beat that was read has words left

  io.command.ready := False
  io.run.valid := False
  io.outcome.ready := False
  io.readAddress.valid := False
  io.writeAddress.valid := False
  io.writeData.valid := whole
  io.writeData.fragment := beat
  io.writeData.last := RegNext(number === granule - 1) // a beat's words take longer
  io.response.ready := False
  io.readData.ready := False
  io.answered := False

  // A reply's words.
  private val isRun = kind === Kind.run
  private val isRead = kind === Kind.read
  private val words = isRun ? U(run.replyBytes / 8, 8 bits) | (isRead ? U(read.replyBytes / 8, 8 bits) | U(3, 8 bits))
  private val nextNumber = (io.reply.fire) ? (number + 1) | number
  private val data = kept.readSync((nextNumber - 3).resize(7))
  private val code = status.mux(
    Status.done -> B(CommandDoor.code("done"), 64 bits),
    Status.refused -> B(CommandDoor.code("refused"), 64 bits),
    Status.memoryFault -> B(CommandDoor.code("memory_fault"), 64 bits),
    Status.notCanonical -> B(CommandDoor.code("not_canonical"), 64 bits)
  )
  private def headerOf(command: Command) = B(command.reply, 32 bits) ## B(command.replyBytes, 32 bits)
  private val header = isRun ? headerOf(run) | (isRead ? headerOf(read) | headerOf(write))
  io.reply.valid := state === State.Reply
  io.reply.last := number === words - 1
  io.reply.keep := B(0xff, 8 bits)
  when(kind === Kind.write && io.reply.last)(io.reply.keep := Word.keepOf(write.replyBytes))
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
    default -> ((status === Status.done || isRun) ? rest | B(0, 64 bits))
  )

  switch(state) {
    is(State.Index) {
      io.command.ready := True
      kind := arriving
      index := word
      settle := 7
      status := Status.refused
      outcome.element := 0
      outcome.first := 0
      outcome.last := 0
      number := 0
      when(io.command.valid)(state := State.Fields)
    }
    is(State.Fields) {
      io.command.ready := True
      when(io.command.valid) {
        for ((now, above) <- field.zip(field.tail :+ word.asUInt)) now := above
        when(io.command.last || kind === Kind.write)(state := State.Settle)
      }
    }
    is(State.Settle) {
      settle := settle - 1
      when(settle === 0)(state := State.Act)
    }
    is(State.Act) {
      switch(kind) {
        is(Kind.write)(state := granuleBad ? State.Drop | State.Address)
        is(Kind.read)(state := granuleBad ? State.Reply | State.Address)
        is(Kind.run) {
          io.run.valid := !runBad
          when(runBad)(state := State.Reply)
          when(io.run.fire)(state := State.Work)
        }
      }
    }
    is(State.Drop) {
      io.command.ready := True
      when(io.command.fire && io.command.last)(state := State.Reply)
    }
    is(State.Address) {
      io.writeAddress.valid := kind === Kind.write
      io.readAddress.valid := kind === Kind.read
      when(io.writeAddress.fire)(state := State.Data)
      when(io.readAddress.fire) {
        state := State.Fetch
        status := Status.done
      }
    }
    is(State.Data) {
      val taken = io.writeData.fire
      val ends = io.writeData.last && taken
      io.command.ready := !whole || (taken && !io.writeData.last)
      when(taken) {
        whole := False
        number := number + 1
      }
      when(io.command.fire) {
        beat := word ## beat.dropLow(64)
        came := came + 1
        when(came === 7)(whole := True)
      }
      when(ends)(state := State.Response)
    }
    is(State.Response) {
      io.response.ready := True
      number := 0
      when(io.response.valid) {
        status := io.response.payload ? Status.memoryFault | Status.done
        state := State.Reply
      }
    }
    is(State.Fetch) {
      io.readData.ready := !some
      when(!some) {
        some := io.readData.valid
        left := 7
        when(io.readData.valid && io.readFault)(status := Status.memoryFault)
      } otherwise {
        left := left - 1
        when(left === 0)(some := False)
        number := number + 1
        when(number === NttConfig.granule / 8 - 1) {
          number := 0
          state := State.Reply
        }
      }
    }
    is(State.Work) {
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
  fetched := some ? (fetched |>> 64) | io.readData.fragment // whatever that is, until it is valid
  kept.write(number.resize(7), fetched.takeLow(64), some)
}

object CommandDoor {
  private def code(name: String) = Spec.int(NttEngine.wire.getTable("status"), name)
  private def direction(name: String) = Spec.int(NttEngine.wire.getTable("directions"), name)
}
