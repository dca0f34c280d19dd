package proofmill.engine.equihash_solve

import proofmill.engine.{CommandParser, Engine, EnginePacket, Reader}
import proofmill.spec.{Block, Command, Spec}
import proofmill.stream.Word
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi._

/** Commands, in the order of `Engine.commands`. */
object SolverCommand extends SpinalEnum(binarySequential) {
  val solve, read = newElement()
}

/** `status` of a reply. */
object SolverStatus extends SpinalEnum(binarySequential) {
  val done, invalid, memoryFault = newElement()

  def code(status: SpinalEnumCraft[SolverStatus.type]): Bits = {
    val table = Spec.table("wire/equihash_solve").getTable("status")
    def of(name: String) = B(Spec.int(table, name), 64 bits)
    status.mux(done -> of("done"), invalid -> of("invalid"), memoryFault -> of("memory_fault"))
  }
}

/** Finds the candidates of a header's Equihash solutions.
  *
  * {{{
  *  command ─► CommandParser ─► LeafSource ─► leaves ─┐
  *               │                                    ├─► Partition ═══► memory
  *               ▼              ┌────────► pairs ─────┘                    ║
  *        RoundControl ─► BucketPairs ─► candidates ─► TreeReader ─► leaves│of candidates ─► reply
  *                              ▲                          ▲               ║
  *                              └──────────────────────────┴── Reader ◄════╝
  * }}}
  * Commands are executed and answered in order:
  *
  * | state  | action                                                   | next              |
  * |:-------|:---------------------------------------------------------|:------------------|
  * | Index  | registers the command's index                            | Header, or Number |
  * | Header | passes the header on                                     | Solve             |
  * | Solve  | all rounds                                               | Reply             |
  * | Number | registers the candidate's number                         | Look              |
  * | Look   | waits for the memory of the candidates                   | Check             |
  * | Check  | reads the candidate                                      | Trace, or Reply   |
  * | Trace  | reads its leaves                                         | Reply             |
  * | Reply  | sends the reply                                          | Index             |
  */
class SolverEngine(config: SolverConfig) extends Engine {
  import config.params
  private val table = Spec.table("wire/equihash_solve")
  private val leafWords = params.indices / 2
  private val solveWire = Command(table, "solve")
  private val readWire = {
    val bare = Spec.int(table.getTable("commands.read"), "bare_reply_len")
    Command(table, "read", bare + 4 * params.indices)
  }
  val commands: Seq[EnginePacket] = Seq("solve" -> solveWire, "read" -> readWire).map { case (name, wire) =>
    EnginePacket(wire, Command.bytes(table, name))
  }
  require(commands.head.bytes == 16 + params.headerBytes)
  val capability: Int =
    Spec.int(Spec.table("wire/shell").getTable("capabilities"), params.name.replace("equihash", "equihash_solve"))
  val block: Block = Block(table)
  val parameters: Map[String, BigInt] = Map(
    "n" -> BigInt(params.n),
    "k" -> BigInt(params.k),
    "queue" -> BigInt(1 + Engine.queueWords / (commands.map(_.bytes).max / 8)),
    "buckets" -> BigInt(config.buckets),
    "capacity" -> BigInt(config.capacity),
    "kept" -> BigInt(config.kept),
    "memory" -> config.bytes,
    "digest_cycles" -> BigInt(config.passes)
  )
  val resets: Map[String, BigInt] =
    Map("personalisation" -> BigInt(params.personalisation.reverse.getBytes("US-ASCII")))

  val command = slave(Word.payloads(commands.size)) // words of command packets, the packet's number above each
  val reply = master(Word.packets) // one packet per command, in their order
  val personalisation = in(Bits(64 bits)) // register: the first eight bytes of BLAKE2b's personalisation
  override val memories: Seq[Axi4] = Seq(master(Axi4(Engine.memory(config.memoryBits)))) // of the tables
  val done, strings, busyCycles =
    out(Reg(UInt(64 bits)) init 0) // counters: replies; strings stored; cycles with a command
  def status: Map[String, Bits] =
    Map("done" -> done.asBits, "strings" -> strings.asBits, "busy_cycles" -> busyCycles.asBits)
  def control: Map[String, Bits] = Map("personalisation" -> personalisation)

  object State extends SpinalEnum {
    val Index, Header, Solve, Number, Look, Check, Trace, Reply = newElement()
  }
  val state = RegInit(State.Index)
  val parser = new CommandParser(command, fields = 1)
  private val isRead = RegInit(False)
  private val outcome = Reg(SolverStatus())

  val leaves = new LeafSource(config)
  val pairs = new BucketPairs(config)
  val partition = new Partition(config)
  val rounds = new RoundControl(config)
  val tree = new TreeReader(config)
  val reader = new Reader(Engine.memory(config.memoryBits))

  // Leaves or pairs into a table; the last pairs are candidates.
  private val isCandidate = rounds.io.isLast && !rounds.io.leaves
  private val entries = rounds.io.leaves ? leaves.io.entries.valid | pairs.io.pairs.valid && !isCandidate
  partition.io.entries.valid := entries
  partition.io.entries.payload := rounds.io.leaves ? leaves.io.entries.payload | pairs.io.pairs.payload
  leaves.io.entries.ready := partition.io.entries.ready && rounds.io.leaves
  pairs.io.pairs.ready := isCandidate || partition.io.entries.ready && !rounds.io.leaves
  rounds.io.entered := RegNext(leaves.io.entries.fire) init False
  leaves.io.personalisation := personalisation

  pairs.io.clear := rounds.io.clear
  pairs.io.start << rounds.io.bucket
  rounds.io.pairing := pairs.io.busy
  rounds.io.empty := pairs.io.empty
  partition.io.begin << rounds.io.begin
  partition.io.finish := rounds.io.finish
  partition.io.bucket := rounds.io.counted
  rounds.io.storing := partition.io.busy
  rounds.io.count := partition.io.count

  // Memory.
  private val memory = memories.head
  memory.aw << partition.io.memory.aw
  memory.w << partition.io.memory.w
  partition.io.memory.b << memory.b
  memory.ar << reader.io.memory.ar
  reader.io.memory.r << memory.r
  reader.io.stop := False
  private val tracing = tree.io.busy
  reader.io.start.valid := rounds.io.read.valid || tree.io.read.valid
  reader.io.start.payload := tracing ? tree.io.read.payload | rounds.io.read.payload
  tree.io.beats.valid := reader.io.beats.valid && tracing
  tree.io.beats.payload := reader.io.beats.payload
  pairs.io.beats.valid := reader.io.beats.valid && !tracing
  pairs.io.beats.payload := reader.io.beats.payload
  reader.io.beats.ready := tracing ? tree.io.beats.ready | pairs.io.beats.ready

  /** The candidates of the last header. */
  val candidates = new Area {
    val memory = Mem(Parents(config), config.kept)
    val found = Reg(UInt(log2Up(config.kept + 1) bits)) init 0
    val dropped = Reg(UInt(32 bits)) init 0 // with the strings that had no space
    private val arrives = pairs.io.pairs.valid && isCandidate
    private val hasSpace = !found.msb
    memory.write(found.resize(log2Up(config.kept)), pairs.io.pairs.parents, arrives && hasSpace)
    when(arrives && hasSpace)(found := found + 1)
    when(partition.io.dropped || arrives && !hasSpace)(dropped := dropped + 1)
    val number = parser.field.head
    val chosen = memory.readSync(number.resize(log2Up(config.kept)))
    val isInvalid = number >= found
  }
  when(partition.io.stored)(strings := strings + 1)

  /** The leaves of the candidate that was read last, two in a word. */
  val traced = new Area {
    val words = Mem(Bits(64 bits), leafWords)
    val number = Reg(UInt(params.k bits)) init 0
    val low = RegNextWhen(tree.io.leaf.payload, tree.io.leaf.valid)
    private val both = tree.io.leaf.payload.resize(32 bits) ## low.resize(32 bits)
    words.write(number >> 1, both, tree.io.leaf.valid && number.lsb)
    when(tree.io.leaf.valid)(number := number + 1)
  }
  val fault = RegInit(False)
  when(memory.r.fire && memory.r.resp =/= Axi4.resp.OKAY || memory.b.fire && memory.b.resp =/= Axi4.resp.OKAY)(
    fault := True
  )
  rounds.io.stop := fault
  pairs.io.stop := fault

  /** The reply's words. */
  val answer = new Area {
    val number = Reg(UInt(log2Up(3 + leafWords) bits)) init 0
    private val next = reply.fire ? (number + 1) | number
    private val leaf = traced.words.readSync((next - 3).resize(log2Up(leafWords)))
    private def header(wire: Command) = B(wire.reply, 32 bits) ## B(wire.replyBytes, 32 bits)
    private val isDone = outcome === SolverStatus.done
    private val found = isDone ? candidates.found.resize(32 bits) | U(0, 32 bits)
    reply.valid := state === State.Reply
    reply.last := number === (isRead ? U(readWire.replyBytes / 8 - 1) | U(solveWire.replyBytes / 8 - 1)).resized
    reply.keep.setAll()
    reply.data := number.mux(
      0 -> (isRead ? header(readWire) | header(solveWire)),
      1 -> parser.index,
      2 -> SolverStatus.code(outcome),
      default -> (isRead ? (isDone ? leaf | B(0, 64 bits)) | candidates.dropped ## found)
    )
    when(reply.fire)(number := reply.last ? U(0) | number + 1)
  }

  command.ready := False
  leaves.io.word.valid := False
  leaves.io.word.payload := parser.word
  rounds.io.start := False
  tree.io.start.valid := False
  tree.io.start.payload := candidates.chosen
  switch(state) {
    is(State.Index) {
      isRead := parser.number.lsb
      parser.takeIndex(state := parser.number.lsb ? State.Number | State.Header)
    }
    is(State.Header) {
      leaves.io.word.valid := command.valid
      command.ready := leaves.io.word.ready
      when(command.fire && command.last) {
        rounds.io.start := True
        candidates.found := 0
        candidates.dropped := 0
        fault := False
        state := State.Solve
      }
    }
    is(State.Solve)(when(!rounds.io.busy) {
      outcome := fault ? SolverStatus.memoryFault | SolverStatus.done
      when(fault)(candidates.found := 0)
      state := State.Reply
    })
    is(State.Number)(parser.takeFields(hasData = False) {
      fault := False
      state := State.Look
    })
    is(State.Look)(state := State.Check)
    is(State.Check) {
      outcome := SolverStatus.invalid
      state := State.Reply
      when(!candidates.isInvalid) {
        tree.io.start.valid := True
        state := State.Trace
      }
    }
    is(State.Trace)(when(!tree.io.busy) {
      outcome := fault ? SolverStatus.memoryFault | SolverStatus.done
      state := State.Reply
    })
    is(State.Reply)(when(reply.fire && reply.last) {
      done := done + 1
      state := State.Index
    })
  }
  when(state =/= State.Index || command.valid)(busyCycles := busyCycles + 1)
}
