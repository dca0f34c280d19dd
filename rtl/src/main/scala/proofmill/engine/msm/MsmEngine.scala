package proofmill.engine.msm

import org.tomlj.TomlTable
import proofmill.engine.{Engine, EnginePacket, Reader, Writer}
import proofmill.spec.{Block, Command, Curve, Spec}
import proofmill.stream.Word
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi._

/** Adds multiples of points up that lie in the card's memory.
  *
  * {{{
  *   command ─► CommandIntake ─┬─ writes ──► Writer ═══► memory channels: 0 … P - 1 slices of points, P scalars
  *                             ├─ runs ────► RunQueue ─► WindowPasses ─► Answer ─► reply
  *                             └─ statuses ──────────────┊─────────────────┘  ▲
  *                                                       ┊                    │ sum
  *        memory channels ═══► Readers ─► Feed ─► BucketAdders ───────────────┘
  * }}}
  */
class MsmEngine(config: MsmConfig) extends Engine {
  private val curve = Curve(config.curve)
  private val points = new Points(curve, config.twin)
  private val cutting = Cutting(curve.scalarField.modulus, config.adders, config.bucketBits)
  private val slices = points.slices
  private val channels = slices + 1
  private val axi = Engine.memory(config.memoryBits)

  private val wires = {
    val sumBytes = points.coordinates * points.digits * points.digitBytes
    Seq(
      Command(MsmEngine.wire, "write"),
      Command(MsmEngine.wire, "run", 48 + sumBytes),
      Command(MsmEngine.wire, "cancel")
    )
  }
  val commands: Seq[EnginePacket] = wires.zip(Seq("write", "run", "cancel")).map { case (command, name) =>
    EnginePacket(command, Command.bytes(MsmEngine.wire, name))
  }
  val capability: Int = Spec.int(Spec.table("wire/shell").getTable("capabilities"), s"msm_${curve.name}")
  val block: Block = Block(MsmEngine.wire)
  val parameters: Map[String, BigInt] = Map(
    "curve" -> BigInt(Spec.int(MsmEngine.wire.getTable("curves"), curve.name)),
    "queue" -> BigInt(MsmConfig.runs),
    "adders" -> BigInt(config.adders),
    "adder_latency" -> BigInt(BucketAdder.latency(points, config.timing)),
    "least_window" -> BigInt(cutting.least),
    "most_window" -> BigInt(cutting.most),
    "channels" -> BigInt(slices),
    "memory" -> (BigInt(1) << config.memoryBits),
    "coordinates" -> BigInt(points.coordinates),
    "digits" -> BigInt(points.digits),
    "stored_digit" -> BigInt(points.storedDigit),
    "digit_bytes" -> BigInt(points.digitBytes),
    "base" -> (if (points.digits == 1) BigInt(0) else points.arithmetic.base)
  )
  val resets: Map[String, BigInt] = Map.empty
  def control: Map[String, Bits] = Map.empty

  val command = slave(Word.payloads(commands.size))
  val reply = master(Word.packets)
  override val memories: Seq[Axi4] = Seq.fill(channels)(master(Axi4(axi)))
  override val lent: Option[Int] = Some(slices)

  val intake = new CommandIntake(cutting, config.memoryBits, channels)
  val writer = new Writer(axi, channels)
  val runs = new RunQueue(config.memoryBits, MsmConfig.runs)
  val passes = new WindowPasses(cutting, config.memoryBits)
  val readers = Seq.fill(channels)(new Reader(axi))
  val cores = Seq.fill(config.adders)(new BucketAdder(points, config.bucketBits, config.timing))
  val answer = new Answer(points, wires)
  val feed = ClockDomain.current.copy(reset = RegNext(passes.io.renew) init True)(new Feed(
    points,
    cutting,
    config.memoryBits - 4
  ))

  // Commands and replies.
  intake.io.command << command
  writer.io.place << intake.io.place
  writer.io.words << intake.io.words
  runs.io.push << intake.io.run
  passes.io.run << runs.io.pop
  runs.io.cancel << intake.io.cancel
  passes.io.cancel << intake.io.cancel
  intake.io.cancels := runs.io.found || passes.io.found
  answer.io.notice << intake.io.notice.halfPipe() // it has three words at least; the memory's response waits for a register alone
  answer.io.outcome << passes.io.outcome
  answer.io.sum := cores.head.io.acc
  reply << answer.io.reply

  // Memory.
  for ((memory, j) <- memories.zipWithIndex) {
    memory.aw << writer.io.address(j)
    memory.w << writer.io.data(j)
    intake.io.responses(j) << memory.b.s2mPipe().map(_.resp =/= Axi4.resp.OKAY)

    val reader = readers(j)
    memory.ar << reader.io.memory.ar
    reader.io.memory.r << memory.r
    reader.io.stop := passes.io.stop
    reader.io.start.valid := passes.io.start
    reader.io.start.repeats := passes.io.passes
    val count = passes.io.current.count
    reader.io.start.address := (if (j < slices) passes.io.current.points else passes.io.current.scalars)
    reader.io.start.beats := (if (j < slices) count else (count +^ 1) >> 1).resized
  }
  passes.io.readersIdle := readers.map(_.io.idle).andR
  passes.io.fault := readers.map(_.io.fault).orR || feed.io.fault

  // Points and scalars to the buckets.
  feed.io.windowBits := passes.io.current.windowBits
  feed.io.count := passes.io.current.count
  for ((slice, reader) <- feed.io.points.zip(readers)) slice << reader.io.beats
  feed.io.scalars << readers.last.io.beats
  feed.io.open := passes.io.open
  passes.io.fed := feed.io.done
  passes.io.empty := feed.io.empty
  for ((core, s) <- cores.zipWithIndex) {
    core.io.items << feed.io.items(s)
    core.io.orders << passes.io.orders(s)
    core.io.other := (if (s == 0) Vec(cores.map(_.io.acc))(passes.io.gathered.resized) else core.io.acc)
    passes.io.busy(s) := core.io.busy
    passes.io.issued(s) := core.io.issued
  }

  // What the registers say.
  private def count(event: Bool): Bits = {
    val value = Reg(UInt(64 bits)) init 0
    when(event)(value := value + 1)
    value.asBits
  }
  val status: Map[String, Bits] = Map(
    "done" -> count(answer.io.outcome.fire || answer.io.notice.fire && answer.io.notice.kind === Kind.run),
    "busy_cycles" -> count(passes.io.passes =/= 0),
    "accumulation_cycles" -> count(passes.io.accumulating),
    "accumulation_issues" -> count(passes.io.accumulating && cores.head.io.issued),
    "tail_cycles" -> count(passes.io.inTail),
    "tail_issues" -> count(passes.io.inTail && cores.head.io.issued),
    "passes" -> passes.io.passes.asBits,
    "passes_done" -> passes.io.passesDone.asBits
  )
  for ((name, value) <- status) out(value.setName(s"status_$name"))
}

object MsmEngine {
  val wire: TomlTable = Spec.table("wire/msm")
}
