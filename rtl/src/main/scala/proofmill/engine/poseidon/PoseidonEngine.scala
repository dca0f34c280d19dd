package proofmill.engine.poseidon

import proofmill.engine.{Engine, EnginePacket}
import proofmill.spec.{Block, Command, Spec, Strength}
import proofmill.stream.Word
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi._

/** Hashes states of several widths and strengths, in any mixture.
  *
  * {{{
  *   command ─┬─ hashes ─► RowIntake ─ rows of states ─► Permutation ─ digests ─► Leave ─┬─► Reply ─► reply
  *            │            ▲  └───────── indices, what is refused ─────────────────┘     │    ▲
  *            │            └─ states ─┐                                     ┌─ answers ──┘    │
  *            └─ write, layer, read ─►└─────────────── Layers ──────────────┘─────────────────┘
  *                                                       ║
  *                                                     memory
  * }}}
  *
  * Commands are carried out and answered in their order. One of the memory waits until all hashes before it are answered, and those behind
  * wait for it.
  */
class PoseidonEngine(config: PoseidonConfig) extends Engine {
  private val table = Spec.table("wire/poseidon")
  private val wire = Command(table)
  private val residues = new Residues(config.twin)

  private val ofMemory = Seq("write", "layer", "read")
  private val memoryWires = ofMemory.map(Command(table, _))
  private val strengthened = {
    val numbers = table.getTable("strengthened")
    wire.copy(number = Spec.big(numbers, "number"), reply = Spec.big(numbers, "reply"))
  }
  val commands: Seq[EnginePacket] = config.hashes.map { hash =>
    val number = if (hash.strength == Strength.Standard) wire else strengthened
    EnginePacket(number, Spec.int(table.getTable("command"), "bare_len") + hash.width * PoseidonEntry.bits / 8)
  } ++ memoryWires.zip(ofMemory).map { case (command, name) => EnginePacket(command, Command.bytes(table, name)) }
  val capability: Int = Spec.int(Spec.table("wire/shell").getTable("capabilities"), "poseidon")
  val block: Block = Block(table)
  val parameters: Map[String, BigInt] = Map(
    "arities" -> config.widths.map(width => BigInt(1) << (width - 1)).sum,
    "strengths" -> config.strengths.map(strength => BigInt(1) << Strength.all.indexOf(strength)).sum,
    "queue" -> BigInt(config.rows * config.blocks.min),
    "elements" -> BigInt(config.elements),
    "full_lanes" -> BigInt(config.fullLanes),
    "partial_lanes" -> BigInt(config.mostBlocks),
    "rows" -> BigInt(config.rows),
    "memory" -> (BigInt(1) << config.memoryBits)
  )
  val resets: Map[String, BigInt] = Map.empty
  def control: Map[String, Bits] = Map.empty

  val command = slave(Word.payloads(commands.size))
  val reply = master(Word.packets)
  val done, busyCycles = out(Reg(UInt(64 bits)) init 0)
  val lastLatency = out(Reg(UInt(32 bits)) init 0)
  def status: Map[String, Bits] =
    Map("done" -> done.asBits, "busy_cycles" -> busyCycles.asBits, "last_latency" -> lastLatency.asBits)

  val clock = Reg(UInt(32 bits)) init 0
  clock := clock + 1
  val intake = new RowIntake(config, residues)
  val permutation = new Permutation(config, residues)
  val leave = new Leave(config, residues)
  val layers = new Layers(config)
  val replies = new Reply((wire +: memoryWires) :+ strengthened)

  // A command is longer than the cycle by which slots are counted late.
  private val begun = RegNext(intake.io.begins) init False
  private val slots = CounterUpDown(config.rows + 1, begun, leave.io.leaves)
  override val memories: Seq[Axi4] = Seq(master(Axi4(layers.io.memory.config)))
  memories.head << layers.io.memory

  /** A reply has seven words, and a layer takes four of an answer: registers that take one every two cycles are quick enough. */
  private val answer = leave.io.answer.halfPipe()
  private val hashed = answer.fire && !layers.io.busy

  /** Whose turn it is: hashes, or one command of the memory. */
  val turn = new Area {
    private val kind = command.fragment.drop(64).asUInt
    private val number = kind - config.hashes.size
    val isOfMemory = kind >= config.hashes.size
    val hashes =
      CounterUpDown(2 * (config.rows + 2) * config.mostBlocks, command.fire && command.last && !isOfMemory, hashed)
    val layering = layers.io.busy
    private val word = command.fragment
    private val toLayers = isOfMemory && hashes === 0
    layers.io.kind.assignFromBits((number + 1).asBits.resize(Kind().getBitsWidth bits))
    layers.io.command.valid := command.valid && toLayers
    layers.io.command.last := command.last
    layers.io.command.fragment := word.resized
    private val toIntake = !isOfMemory && !layering
    private val states = Stream(intake.io.command.payloadType)
    states.valid := layering ? layers.io.states.valid | (command.valid && toIntake)
    states.last := layering ? layers.io.states.last | command.last
    states.fragment := layering ? layers.io.states.fragment | word.resize(states.fragment.getWidth)
    intake.io.command << states.s2mPipe().m2sPipe()
    layers.io.states.ready := layering && states.ready
    command.ready := isOfMemory ? (toLayers && layers.io.command.ready) | (toIntake && states.ready)
  }
  intake.io.clock := clock
  intake.io.free := RegNext(slots =/= config.rows) init False
  permutation.io.rows << intake.io.rows
  leave.io.digests << permutation.io.digests
  leave.io.filled << intake.io.filled
  leave.io.pending << intake.io.pending
  leave.io.clock := clock
  reply << replies.io.reply
  replies.io.data << layers.io.data

  // Answers of hashes to whoever asked for them.
  private val outcome = Stream(Outcome())
  layers.io.answers.valid := answer.valid && turn.layering
  layers.io.answers.payload := answer.payload
  outcome.valid := turn.layering ? layers.io.outcome.valid | answer.valid
  outcome.payload := turn.layering ? layers.io.outcome.payload | answer.payload
  layers.io.outcome.ready := turn.layering && outcome.ready
  answer.ready := turn.layering ? layers.io.answers.ready | outcome.ready
  replies.io.outcome << outcome.halfPipe()

  when(replies.io.outcome.fire)(done := done + 1)
  when(leave.io.answer.fire && !layers.io.busy)(lastLatency := leave.io.latency)
  private val works = slots =/= 0 || begun || intake.io.command.valid || command.valid || turn.layering
  when(RegNext(works) init False)(busyCycles := busyCycles + 1)
}
