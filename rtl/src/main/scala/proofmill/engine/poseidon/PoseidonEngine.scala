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
  *   command ─┬─ hashes ─► RowAssembler ─ rows ─► Permutation ─ digests ─► DigestCollector ─┬─► HashReplyWriter ─► reply
  *            │              ▲  └─── indices, invalid elements ────────────────┘            │       ▲
  *            │              └─ states ─┐                                   ┌─ outcomes ────┘       │
  *            └─ write, layer, read ───►└──────────────── Layers ───────────┘───────────────────────┘
  *                                                          ║
  *                                                        memory
  * }}}
  *
  * Commands are executed and answered in order. A command of the memory waits until all earlier hashes are answered, and later ones wait for it.
  */
class PoseidonEngine(config: PoseidonConfig) extends Engine {
  private val table = Spec.table("wire/poseidon")
  private val wire = Command(table)
  private val residues = new Residues(config.model)

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

  val command = slave(Word.payloads(commands.size)) // words of command packets, the packet's number above each
  val reply = master(Word.packets) // one packet per command, in their order
  val done, busyCycles = out(Reg(UInt(64 bits)) init 0) // counters: replies; cycles with a command in the engine
  val lastLatency = out(Reg(UInt(32 bits)) init 0) // cycles of the last hash from its last command word to its outcome
  def status: Map[String, Bits] =
    Map("done" -> done.asBits, "busy_cycles" -> busyCycles.asBits, "last_latency" -> lastLatency.asBits)

  val clock = Reg(UInt(32 bits)) init 0
  clock := clock + 1
  val assembler = new RowAssembler(config, residues)
  val permutation = new Permutation(config, residues)
  val collector = new DigestCollector(config, residues)
  val layers = new Layers(config)
  val replies = new HashReplyWriter((wire +: memoryWires) :+ strengthened)

  // Slots are counted one cycle late, which is less than a command takes.
  private val rowBegun = RegNext(assembler.io.beginsRow) init False
  private val slots = CounterUpDown(config.rows + 1, rowBegun, collector.io.freesSlot)
  override val memories: Seq[Axi4] = Seq(master(Axi4(layers.io.memory.config))) // the channel of nodes
  memories.head << layers.io.memory

  /** A reply has seven words, and a layer uses four cycles of an outcome, so half the rate is enough. */
  private val hashOutcome = collector.io.outcome.halfPipe()
  private val hashDone = hashOutcome.fire && !layers.io.busy

  /** Arbitration between hashes and a command of the memory. */
  val arbiter = new Area {
    private val kind = command.fragment.drop(64).asUInt
    private val number = kind - config.hashes.size
    val isOfMemory = kind >= config.hashes.size
    val hashes =
      CounterUpDown(2 * (config.rows + 2) * config.mostBlocks, command.fire && command.last && !isOfMemory, hashDone)
    val layering = layers.io.busy
    private val word = command.fragment
    private val toLayers = isOfMemory && hashes === 0
    layers.io.kind.assignFromBits((number + 1).asBits.resize(HashCommand().getBitsWidth bits))
    layers.io.command.valid := command.valid && toLayers
    layers.io.command.last := command.last
    layers.io.command.fragment := word.resized
    private val toAssembler = !isOfMemory && !layering
    private val states = Stream(assembler.io.command.payloadType)
    states.valid := layering ? layers.io.states.valid | (command.valid && toAssembler)
    states.last := layering ? layers.io.states.last | command.last
    states.fragment := layering ? layers.io.states.fragment | word.resize(states.fragment.getWidth)
    assembler.io.command << states.s2mPipe().m2sPipe()
    layers.io.states.ready := layering && states.ready
    command.ready := isOfMemory ? (toLayers && layers.io.command.ready) | (toAssembler && states.ready)
  }
  assembler.io.clock := clock
  assembler.io.slotFree := RegNext(slots =/= config.rows) init False
  permutation.io.rows << assembler.io.rows
  collector.io.digests << permutation.io.digests
  collector.io.rowSize << assembler.io.rowSize
  collector.io.pending << assembler.io.pending
  collector.io.clock := clock
  reply << replies.io.reply
  replies.io.data << layers.io.data

  // Outcomes of hashes go to the layers or to the replies.
  private val outcome = Stream(HashOutcome())
  layers.io.digests.valid := hashOutcome.valid && arbiter.layering
  layers.io.digests.payload := hashOutcome.payload
  outcome.valid := arbiter.layering ? layers.io.outcome.valid | hashOutcome.valid
  outcome.payload := arbiter.layering ? layers.io.outcome.payload | hashOutcome.payload
  layers.io.outcome.ready := arbiter.layering && outcome.ready
  hashOutcome.ready := arbiter.layering ? layers.io.digests.ready | outcome.ready
  replies.io.outcome << outcome.halfPipe()

  when(replies.io.outcome.fire)(done := done + 1)
  when(collector.io.outcome.fire && !layers.io.busy)(lastLatency := collector.io.latency)
  private val works = slots =/= 0 || rowBegun || assembler.io.command.valid || command.valid || arbiter.layering
  when(RegNext(works) init False)(busyCycles := busyCycles + 1)
}
