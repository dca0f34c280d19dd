package proofmill.engine.msm

import org.tomlj.TomlTable
import proofmill.engine.{Engine, EnginePacket, Reader, Writer}
import proofmill.spec.{Block, Command, Curve, Spec}
import proofmill.stream.Word
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi._

/** Multi-scalar multiplication of points in the card's memory.
  *
  * {{{
  *   command ─► MsmCommandPort ─┬─ writes ──► Writer ═══► memory channels: 0 … P - 1 slices of points, P scalars
  *                               ├─ runs ────► RunQueue ─► WindowPasses ─► ReplyWriter ─► reply
  *                               └─ statuses ──────────────┊─────────────────┘  ▲
  *                                                         ┊                    │ sum
  *        memory channels ═══► Readers ─► PointFeeder ─► BatchBucketAdders ────┘
  * }}}
  */
class MsmEngine(config: MsmConfig) extends Engine {
  private val curve = Curve(config.curve)
  private val points = new Points(curve, config.group, config.model)
  private val plan = WindowPlan(curve.scalarField.modulus, config.adders, config.bucketBits)
  private val pointChannels = points.channels
  private val channels = pointChannels + 1
  private val axi = Engine.memory(config.memoryBits)

  private val wires = {
    val offset = if (config.group == 1) 0 else Spec.int(MsmEngine.wire.getTable("command_offsets"), s"g${config.group}")
    val commands = Seq(
      Command(MsmEngine.wire, "write"),
      Command(MsmEngine.wire, "run", 48 + points.sumBytes),
      Command(MsmEngine.wire, "cancel")
    )
    commands.map(command => command.copy(number = command.number + offset, reply = command.reply + offset))
  }
  val commands: Seq[EnginePacket] = wires.zip(Seq("write", "run", "cancel")).map { case (command, name) =>
    EnginePacket(command, Command.bytes(MsmEngine.wire, name))
  }
  val capability: Int = Spec.int(Spec.table("wire/shell").getTable("capabilities"), s"msm_${config.instance}")
  val block: Block = Block(MsmEngine.wire)
  val parameters: Map[String, BigInt] = Map(
    "curve" -> BigInt(Spec.int(MsmEngine.wire.getTable("curves"), curve.name)),
    "queue" -> BigInt(MsmConfig.runs),
    "adders" -> BigInt(config.adders),
    "adder_latency" -> BigInt(points.latency),
    "least_window" -> BigInt(plan.least),
    "most_window" -> BigInt(plan.most),
    "channels" -> BigInt(pointChannels),
    "group" -> BigInt(config.group),
    "memory" -> (BigInt(1) << config.memoryBits),
    "coordinates" -> BigInt(points.coordinates),
    "digits" -> BigInt(points.digits),
    "stored_digit" -> BigInt(points.storedDigit),
    "digit_bytes" -> BigInt(points.digitBytes),
    "base" -> (if (points.digits == 1) BigInt(0) else points.arithmetic.base)
  )
  val resets: Map[String, BigInt] = Map.empty
  def control: Map[String, Bits] = Map.empty

  val command = slave(Word.payloads(commands.size)) // words of command packets, the packet's number above each
  val reply = master(Word.packets) // status replies in the order of their commands; a run's result when it ends
  override val memories: Seq[Axi4] = Seq.fill(channels)(master(Axi4(axi))) // of the slices of points, then the scalars
  override val lent: Option[Int] = Some(pointChannels)

  val commandPort = new MsmCommandPort(plan, config.memoryBits, channels, points.components)
  val writer = new Writer(axi, channels)
  val runQueue = new RunQueue(config.memoryBits, MsmConfig.runs)
  val passes = new WindowPasses(plan, config.memoryBits)
  val readers = Seq.fill(channels)(new Reader(axi))
  val cores = Seq.fill(config.adders)(points.core(config.bucketBits, config.timing))
  val replyWriter = new ReplyWriter(points, wires)
  val feeder = ClockDomain.current.copy(reset = RegNext(passes.io.restart) init True)(new PointFeeder(
    points,
    plan,
    config.memoryBits - 4
  ))

  // Commands and replies.
  commandPort.io.command << command
  writer.io.place << commandPort.io.address
  writer.io.words << commandPort.io.data
  runQueue.io.push << commandPort.io.run
  passes.io.run << runQueue.io.pop
  runQueue.io.cancel << commandPort.io.cancel
  passes.io.cancel << commandPort.io.cancel
  commandPort.io.cancelFound := runQueue.io.cancelFound || passes.io.cancelFound
  replyWriter.io.statusReply << commandPort.io.statusReply.halfPipe() // a reply has three words at least, so half the rate is enough
  replyWriter.io.result << passes.io.result
  replyWriter.io.sum := cores.head.io.acc
  reply << replyWriter.io.reply

  // Memory.
  for ((memory, j) <- memories.zipWithIndex) {
    memory.aw << writer.io.address(j)
    memory.w << writer.io.data(j)
    commandPort.io.responses(j) << memory.b.s2mPipe().map(_.resp =/= Axi4.resp.OKAY)

    val reader = readers(j)
    memory.ar << reader.io.memory.ar
    reader.io.memory.r << memory.r
    reader.io.stop := passes.io.stop
    reader.io.start.valid := passes.io.start
    reader.io.start.repeats := passes.io.passes
    val count = passes.io.current.count
    reader.io.start.address := (if (j < pointChannels) passes.io.current.points else passes.io.current.scalars)
    reader.io.start.beats := (if (j < pointChannels) count << log2Up(points.components) else (count +^ 1) >> 1).resized
  }
  passes.io.readersIdle := readers.map(_.io.idle).andR
  passes.io.fault := readers.map(_.io.fault).orR || feeder.io.fault

  // Points and scalars into the buckets.
  feeder.io.windowBits := passes.io.current.windowBits
  feeder.io.count := passes.io.current.count
  for ((slice, reader) <- feeder.io.points.zip(readers)) slice << reader.io.beats
  feeder.io.scalars << readers.last.io.beats
  feeder.io.passOpen := passes.io.passOpen
  passes.io.feederDone := feeder.io.done
  passes.io.feederEmpty := feeder.io.empty
  for ((core, s) <- cores.zipWithIndex) {
    core.io.items << feeder.io.items(s)
    core.io.commands << passes.io.commands(s)
    core.io.externalSum := (if (s == 0) Vec(cores.map(_.io.acc))(passes.io.gathered.resized) else core.io.acc)
    passes.io.busy(s) := core.io.busy
    passes.io.issued(s) := core.io.issued
  }

  // Counters of the register block.
  private def count(event: Bool): Bits = {
    val value = Reg(UInt(64 bits)) init 0
    when(event)(value := value + 1)
    value.asBits
  }
  val status: Map[String, Bits] = Map(
    "done" -> count(
      replyWriter.io.result.fire || replyWriter.io.statusReply.fire && replyWriter.io.statusReply.kind === MsmCommand.run
    ),
    "busy_cycles" -> count(passes.io.passes =/= 0),
    "accumulation_cycles" -> count(passes.io.accumulating),
    "accumulation_issues" -> count(passes.io.accumulating && cores.head.io.issued),
    "tail_cycles" -> count(passes.io.reducing),
    "tail_issues" -> count(passes.io.reducing && cores.head.io.issued),
    "passes" -> passes.io.passes.asBits,
    "passes_done" -> passes.io.passesDone.asBits
  )
  for ((name, value) <- status) out(value.setName(s"status_$name"))
}

object MsmEngine {
  val wire: TomlTable = Spec.table("wire/msm")
}
