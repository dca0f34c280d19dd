package proofmill.engine.ntt

import org.tomlj.TomlTable
import proofmill.arith.Copies
import proofmill.engine.{Engine, EnginePacket}
import proofmill.spec.{Block, Command, Spec}
import proofmill.stream.Word
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi._

/** Number-theoretic transforms of elements in the card's memory.
  *
  * {{{
  *   command ─► NttCommandPort ─┬─ a granule written or read ───────────────────────────┐
  *   reply   ◄──────────────────┘─ run ─► TransformPasses ═► Pipeline ═► TransformPasses ═╤══╧══► memory channels
  *                                                                                     ╘═════► scalars of an MSM, in a channel of another engine
  * }}}
  * A beat of a channel has `perBeat` elements: beat i of channel j has those from perBeat (channels i + j) on. All channels work in lock step.
  */
class NttEngine(config: NttConfig) extends Engine {
  import config.channels
  private val axi = Engine.memory(config.memoryBits)
  private val residues = config.residues
  private val names = Seq("write", "run", "read")
  private val wires = names.map(Command(NttEngine.wire, _))
  val commands: Seq[EnginePacket] = wires.zip(names).map { case (command, name) =>
    EnginePacket(command, Command.bytes(NttEngine.wire, name))
  }
  val capability: Int = Spec.int(Spec.table("wire/shell").getTable("capabilities"), "ntt")
  val block: Block = Block(NttEngine.wire)
  val parameters: Map[String, BigInt] = Map(
    "field" -> BigInt(config.number),
    "queue" -> BigInt(NttEngine.queue),
    "lanes" -> BigInt(config.lanes),
    "channels" -> BigInt(channels),
    "memory" -> (BigInt(1) << config.memoryBits),
    "least_log" -> BigInt(config.leastLog),
    "most_log" -> BigInt(config.mostLog),
    "pass_log" -> BigInt(config.passLog),
    "scalars" -> config.scalarBits.fold(BigInt(0))(BigInt(1) << _)
  )
  val resets: Map[String, BigInt] = Map.empty
  def control: Map[String, Bits] = Map.empty

  val command = slave(Word.payloads(commands.size)) // words of command packets, the packet's number above each
  val reply = master(Word.packets) // one packet per command, in their order
  override val memories: Seq[Axi4] = Seq.fill(channels)(master(Axi4(axi))) // the channels; in lock step during a run
  override val borrowed: Option[Axi4] = config.scalarBits.map(bits => master(Axi4(Engine.memory(bits)))) // MSM scalars

  /** Bursts have one beat, and a refresh of the memory lasts a hundred cycles. */
  override val bursts: Int = 512

  val passes = new TransformPasses(config, residues)
  val commandPort = new NttCommandPort(config, wires)
  commandPort.io.command << command
  reply << commandPort.io.reply
  passes.io.run << commandPort.io.run
  commandPort.io.outcome << passes.io.outcome

  /** A level per channel: it belongs to a run. It comes one cycle late, in which neither side uses the channel. */
  private val busy = Copies(passes.io.busy, channels)

  // A granule's address and data: registered, so that the command port sees no combinational path from the memory.
  private val granuleAddress = commandPort.io.readAddress.halfPipe()
  private val granuleData = commandPort.io.writeData.halfPipe()

  // Reads: of all channels, or of one.
  private val readAddresses = StreamFork(passes.io.readAddress, channels)
  private val reads =
    memories.map(
      _.r.m2sPipe().s2mPipe()
    ) // cuts the paths of valid and ready between the guard and the reader of a beat
  private val all = reads.map(_.valid).andR
  passes.io.read.valid := all && passes.io.busy
  passes.io.read.payload := Cat(reads.map(_.data))
  private val taken = passes.io.read.fire
  private val readFault = taken && reads.map(_.resp =/= Axi4.resp.OKAY).orR

  // Writes: likewise. Addresses and data leave one by one.
  private val Seq(own, others) = StreamDemux(passes.io.store, passes.io.scalars.asUInt, 2).toSeq
  private val stores = StreamFork(own, 2 * channels)
  private val responses = memories.map(_.b)
  private val stored = responses.map(_.valid).andR && passes.io.busy
  private val scalars = borrowed.map { memory =>
    val unit = new ScalarWriter(config, memory.config)
    unit.io.store << others
    unit.io.first := passes.io.scalar
    memory.aw << unit.io.address
    memory.w << unit.io.data
    unit.io.response << memory.b
    memory.ar.setIdle()
    memory.r.ready := True
    unit
  }
  if (scalars.isEmpty) others.ready := False
  passes.io.stored := stored || scalars.fold[Bool](False)(_.io.stored)
  passes.io.fault := readFault || stored && responses.map(_.resp =/= Axi4.resp.OKAY).orR ||
    scalars.fold[Bool](False)(_.io.fault)

  /** A queue of four words with registered valid and ready. */
  private def queued[T <: Data](stream: Stream[T]): Stream[T] = {
    val words = new StreamFifo(stream.payloadType, 4, withAsyncRead = true, forFMax = true)
    words.io.push << stream
    words.io.pop
  }
  private val addressReady = Seq.fill(channels)(Bool()) // for a granule
  for ((memory, j) <- memories.zipWithIndex) {
    val selectedHere = !busy(j) && commandPort.io.channel === j
    def burst(channel: Axi4Ax, beats: Int): Unit = {
      channel.len := beats - 1
      channel.size := log2Up(NttConfig.beat)
      channel.setBurstINCR()
    }
    def byte(beat: UInt): UInt = beat @@ U(0, log2Up(NttConfig.beat) bits)
    val granule = NttConfig.granule / NttConfig.beat

    val ar = readAddresses(j).translateWith {
      val address = Axi4Ar(axi)
      address.addr := byte(readAddresses(j).payload)
      burst(address, 1)
      address
    }
    val one = Stream(Axi4Ar(axi))
    one.valid := granuleAddress.valid && selectedHere
    one.addr := byte(commandPort.io.beat)
    burst(one, granule)
    memory.ar << StreamMux(busy(j).asUInt, Seq(one, ar))
    reads(j).ready := busy(j) ? taken | (selectedHere && commandPort.io.readData.ready)

    val aw = queued(stores(2 * j).translateWith {
      val address = Axi4Aw(axi)
      address.addr := byte(stores(2 * j).beat)
      burst(address, 1)
      address
    })
    val w = queued(stores(2 * j + 1).translateWith {
      val data = Axi4W(axi)
      data.data := stores(2 * j + 1).data(512 * j, 512 bits)
      data.strb.setAllTo(!stores(2 * j + 1).half || Bool(2 * j < channels))
      data.last := True
      data
    })
    val oneAddress = Stream(Axi4Aw(axi))
    oneAddress.valid := commandPort.io.writeAddress.valid && selectedHere
    oneAddress.addr := byte(commandPort.io.beat)
    burst(oneAddress, granule)
    val oneData = Stream(Axi4W(axi))
    oneData.valid := granuleData.valid && selectedHere
    oneData.data := granuleData.fragment
    oneData.strb.setAll()
    oneData.last := granuleData.last
    memory.aw << StreamMux(busy(j).asUInt, Seq(oneAddress, aw)).s2mPipe()
    addressReady(j) := oneAddress.ready
    memory.w << StreamMux(busy(j).asUInt, Seq(oneData, w))
    memory.b.ready := busy(j) ? stored | (selectedHere && commandPort.io.response.ready)
  }
  private def selected[T <: Data](values: Seq[T]): T =
    if (channels == 1) values.head else Vec(values)(commandPort.io.channel.resized)
  granuleAddress.ready := !passes.io.busy && selected(memories.map(_.ar.ready))
  commandPort.io.readData.valid := !passes.io.busy && selected(reads.map(_.valid))
  commandPort.io.readData.fragment := selected(reads.map(_.data))
  commandPort.io.readData.last := selected(reads.map(_.last))
  commandPort.io.readFault := selected(reads.map(_.resp)) =/= Axi4.resp.OKAY
  commandPort.io.writeAddress.ready := !passes.io.busy && selected(addressReady)
  granuleData.ready := !passes.io.busy && selected(memories.map(_.w.ready))
  commandPort.io.response.valid := !passes.io.busy && selected(responses.map(_.valid))
  commandPort.io.response.payload := selected(responses.map(_.resp)) =/= Axi4.resp.OKAY

  // Counters of the register block.
  private def count(event: Bool): Bits = {
    val value = Reg(UInt(64 bits)) init 0
    when(event)(value := value + 1)
    value.asBits
  }
  val status: Map[String, Bits] = Map(
    "done" -> count(commandPort.io.answered),
    "busy_cycles" -> count(passes.io.busy),
    "beats" -> count(taken)
  )
  for ((name, value) <- status) out(value.setName(s"status_$name"))
}

object NttEngine {
  val wire: TomlTable = Spec.table("wire/ntt")

  /** Commands that fit in the shell's queue, each with a granule and its address. */
  val queue: Int = Engine.queueWords / 131
}
