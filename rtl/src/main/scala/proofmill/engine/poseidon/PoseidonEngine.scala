package proofmill.engine.poseidon

import proofmill.engine.{Engine, EnginePacket}
import proofmill.spec.{Block, Command, Spec}
import proofmill.stream.Word
import spinal.core._
import spinal.lib._

/** Hashes states of several widths, in any mixture.
  *
  * {{{
  *   command ─► Intake ─ rows of states ─► Core ─ digests ─► Leave ─► reply
  *                 └────── indices, what is refused ───────────┘
  * }}}
  *
  * Replies keep the order of the commands.
  */
class PoseidonEngine(config: PoseidonConfig) extends Engine {
  private val table = Spec.table("wire/poseidon")
  private val wire = Command(table)
  private val residues = new Residues(config.twin)

  val commands: Seq[EnginePacket] = config.widths.map { width =>
    EnginePacket(wire, Spec.int(table.getTable("command"), "bare_len") + width * Entry.bits / 8)
  }
  val capability: Int = Spec.int(Spec.table("wire/shell").getTable("capabilities"), "poseidon")
  val block: Block = Block(table)
  val parameters: Map[String, BigInt] = Map(
    "arities" -> config.widths.map(width => BigInt(1) << (width - 1)).sum,
    "queue" -> BigInt(config.rows * config.blocks.min),
    "elements" -> BigInt(config.elements),
    "full_lanes" -> BigInt(config.fullLanes),
    "partial_lanes" -> BigInt(config.mostBlocks),
    "rows" -> BigInt(config.rows)
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
  val intake = new Intake(config, residues)
  val core = new Core(config, residues)
  val leave = new Leave(config, residues, wire)
  private val slots = CounterUpDown(config.rows + 1, intake.io.begins, leave.io.leaves)

  intake.io.command << command
  intake.io.clock := clock
  intake.io.free := slots =/= config.rows
  core.io.rows << intake.io.rows
  leave.io.digests << core.io.digests
  leave.io.filled << intake.io.filled
  leave.io.pending << intake.io.pending
  leave.io.clock := clock
  reply << leave.io.reply

  when(leave.io.done) {
    done := done + 1
    lastLatency := leave.io.latency
  }
  when(slots =/= 0 || command.valid)(busyCycles := busyCycles + 1)
}
