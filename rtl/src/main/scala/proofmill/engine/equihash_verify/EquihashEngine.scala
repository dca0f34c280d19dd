package proofmill.engine.equihash_verify

import proofmill.arith.Timing
import proofmill.engine.{Engine, EnginePacket}
import proofmill.hash.{LeafHash, LeafStart, Midstate}
import proofmill.spec.{Block, Command, Equihash, Spec}
import proofmill.stream.Word
import spinal.core._
import spinal.lib._

/** @param instance parameter set, by its name in `spec/hashes`
  * @param shaCores SHA-256d cores, which take headers in round-robin order; each needs 66 cycles a block
  * @param headers  maximum number of headers in flight, a power of two
  */
case class EquihashConfig(instance: String, shaCores: Int, headers: Int = 8, timing: Timing = Timing()) {
  val params: Equihash = Equihash(instance)
}

/** The properties of a header that are registered before its checks have finished. */
case class Pending() extends Bundle {
  val index = Bits(64 bits)
  val arrival = UInt(32 bits)
  val badSize = Bool()
}

/** Verifies Equihash solutions and difficulties of block headers, one leaf hash each cycle.
  *
  * {{{
  *                    ┌─► Midstate ─────────────► start, h ─┐
  *  command ─► input ─┼─► solution FIFO ─► IndexCutter ─► Grouping ─► issue ┬─► LeafHash ─► LeafCheck ─┐
  *                    │                                                     ├─► OrderCheck ────────────┤
  *                    │                                                     └─► Duplicates ────────────┼─► retire ─► reply
  *                    ├─► Sha256d (several, round robin) ─► Difficulty ────────────────────────────────┤
  *                    └─► pending (index, time) ───────────────────────────────────────────────────────┘
  * }}}
  *
  * Headers overlap: while one's leaves are hashed, the next one arrives and is prepared, and several are in SHA-256d. With
  * enough SHA cores, a header takes exactly as many cycles as it has leaves. Headers retire in the order of the commands.
  */
class EquihashEngine(config: EquihashConfig) extends Engine {
  private val p = config.params
  private val table = Spec.table("wire/equihash_verify")
  private val payloadWords = (p.totalBytes + 7) / 8
  private val solutionWords = (p.solutionBytes + 7) / 8
  private val borderWord =
    p.headerBytes / 8 // contains the header's end, the CompactSize and the solution's first bytes
  private val solutionAt = p.headerBytes % 8 + p.compactSize.size // first solution byte in it
  require(solutionAt < 8 && payloadWords - 1 == borderWord + solutionWords, s"${p.name}: header layout not supported")

  private val wire = Command(table)
  private val commandBytes = 16 + p.totalBytes
  val commands = Seq(EnginePacket(wire, commandBytes))
  val capability: Int = Spec.int(Spec.table("wire/shell").getTable("capabilities"), p.name)
  val block: Block = Block(table)
  val parameters: Map[String, BigInt] = Map(
    "n" -> p.n,
    "k" -> p.k,
    "command_len" -> commandBytes,
    "queue" -> (config.shaCores.min(config.headers) + Engine.queueWords / (commandBytes / 8)),
    "sha_cores" -> config.shaCores
  ).map { case (name, value) => name -> BigInt(value) }
  val resets: Map[String, BigInt] = Map(
    "personalisation" -> BigInt(p.personalisation.reverse.getBytes("US-ASCII")),
    "difficulty" -> BigInt(1),
    "pow_limit" -> Spec.big(table.getTable("networks"), "main")
  )

  val command = slave(Word.payload) // words of command packets: a header's index, then the header with its solution
  val reply = master(Word.packets) // one packet per header, in the order of the commands: its index and error mask
  val done, busyCycles = out(Reg(UInt(64 bits)) init 0) // counters: headers replied to; cycles with a header in flight
  val lastLatency = out(Reg(UInt(32 bits)) init 0) // cycles of the last header from its index to its result
  val personalisation = in(Bits(64 bits)) // register: the first eight bytes of BLAKE2b's personalisation
  val difficultyCheck = in(Bits(32 bits)) // register: bit 0 enables the check of the difficulty
  val powLimit = in(Bits(256 bits)) // register: the largest target that the network allows
  def status: Map[String, Bits] =
    Map("done" -> done.asBits, "busy_cycles" -> busyCycles.asBits, "last_latency" -> lastLatency.asBits)
  def control: Map[String, Bits] =
    Map("personalisation" -> personalisation, "difficulty" -> difficultyCheck, "pow_limit" -> powLimit)

  val midstate = new Midstate(p, config.timing)
  val solution = StreamFifo(Bits(64 bits), 1 << log2Up(2 * solutionWords), forFMax = true)
  val shas = Seq.fill(config.shaCores)(new Sha256d(p.totalBytes))
  val pending = StreamFifo(Pending(), config.headers, forFMax = true)
  val clock = Reg(UInt(32 bits)) init 0
  clock := clock + 1

  /** Accepts one command word each cycle and distributes it to all units that use it.
    *
    * A command is accepted when all units have space for all of its words, so its words never stall. `open` was computed in
    * the cycle before, from the state after the preceding command. There is one idle cycle between two commands.
    */
  val intake = new Area {
    val word = command.payload.fragment
    val number = Reg(UInt(log2Up(payloadWords + 1) bits)) init 0 // 0 is the index; payload words count from 1
    val isIndex = RegInit(True)
    val isHeader, isSolution = RegInit(False)
    def isPayload(n: Int) = number === n + 1

    val core = Counter(config.shaCores)
    val open = RegInit(False)
    command.ready := !isIndex || open
    val fire = command.fire
    val room = Vec(shas.map(_.io.word.ready))(core) && midstate.io.word.ready && pending.io.push.ready &&
      solution.io.availability >= solutionWords
    open := isIndex && !fire && room
    when(fire) {
      val next = number + 1
      number := command.last ? U(0) | next
      isIndex := command.last
      isHeader := !command.last && next <= borderWord + 1
      isSolution := !command.last && next > borderWord + 1
    }

    val header = Reg(Pending())
    when(fire && isIndex) {
      header.index := word
      header.arrival := clock
    }
    val size = word.subdivideIn(8 bits).slice(p.headerBytes % 8, solutionAt)
    when(fire && isPayload(borderWord)) {
      header.badSize := size.zip(p.compactSize).map { case (byte, expected) => byte =/= expected }.orR
    }
    pending.io.push.valid := fire && command.last
    pending.io.push.payload := header

    midstate.io.word.valid := fire && isHeader
    midstate.io.word.payload := word
    midstate.io.personalisation := personalisation

    // Solution words begin `solutionAt` bytes into the border word: each consists of the end of one payload word and the beginning of the next.
    val before = RegNextWhen(word, fire)
    solution.io.push.valid := fire && isSolution
    solution.io.push.payload := word.takeLow(8 * solutionAt) ## before.takeHigh(64 - 8 * solutionAt)

    val bits = Vec(Reg(Bits(32 bits)), config.shaCores)
    when(fire && isPayload(13))(bits(core) := word.takeLow(32))
    val tail = p.totalBytes % 8
    val padded = if (tail == 0) word else B(0x80, 64 - 8 * tail bits) ## word.takeLow(8 * tail)
    for ((sha, i) <- shas.zipWithIndex) {
      sha.io.word.valid := fire && !isIndex && core === i
      sha.io.word.payload := command.last ? padded | word
    }
    when(fire && command.last)(core.increment())
  }

  /** Issues one leaf each cycle to the three checks of indices. */
  val issue = new Area {
    private val hash = LeafHash(p)
    val cutter = new IndexCutter(p)
    val grouping = new Grouping(p)
    cutter.io.word << solution.io.pop
    grouping.io.index << cutter.io.index.s2mPipe()

    val start = Reg(LeafStart())
    val started = RegInit(False)
    val slot = Reg(UInt(log2Up(hash.slots) bits)) init 0
    val count = Reg(UInt(p.k bits)) init 0
    val leaf = grouping.io.leaf
    leaf.ready := started
    val fire = leaf.fire
    when(fire)(count := count + 1)
    val free = !started || (fire && count.andR)

    val prepared = midstate.io.result
    prepared.ready := free
    when(free)(started := prepared.valid)
    when(prepared.fire) {
      start := prepared.start
      slot := slot + 1
    }
    hash.io.chain.valid := prepared.fire
    hash.io.chain.payload := prepared.h
    hash.io.chainSlot := slot + 1
    hash.io.start := start
    hash.io.hash := leaf.hash.resized
    hash.io.tag.valid := fire
    hash.io.tag.slot := slot
    hash.io.tag.select := leaf.select

    val leaves = new LeafCheck(p)
    val order = new OrderCheck(p)
    val duplicates = new Duplicates(p.indexBits, p.k)
    leaves.io.leaf << hash.io.leaf
    for (port <- Seq(order.io.index, duplicates.io.index)) {
      port.valid := fire
      port.payload := leaf.index
    }
  }

  /** Reads the double hashes in the order of the headers. A hash is read after the result before has been accepted, so
    * `check` is ready for each of its words; `bits` is stable during that time.
    */
  val difficulty = new Area {
    val core = Counter(config.shaCores)
    val check = new Difficulty
    val fails = check.io.fail.halfPipe()
    val open = RegInit(False)
    val bits = RegNextWhen(intake.bits(core), !open)
    check.io.enable := difficultyCheck(0)
    check.io.limit := powLimit
    check.io.bits := bits
    val there = Vec(shas.map(_.io.result.valid))(core)
    check.io.hash.valid := there && open
    check.io.hash.payload := Vec(shas.map(_.io.result.payload))(core)
    for ((sha, i) <- shas.zipWithIndex) sha.io.result.ready := open && core === i
    val ends = check.io.hash.valid && check.io.hash.last

    // A hash's last word and its result have a distance of two cycles; the core's index and `bits` become stable in that time.
    val settled = !History(open, 3, init = False).orR
    open := open ? !ends | (there && settled && !fails.valid)
    when(ends)(core.increment())
  }

  /** Retires headers: joins the results of a header's checks. No check is more than `headers` ahead, so their queues never
    * overflow.
    */
  val answer = new Area {
    def queued[T <: Data](flow: Flow[T]): Stream[T] = flow.toStream.queue(config.headers)
    val leaves = queued(issue.leaves.io.verdict)
    val order = queued(issue.order.io.bad)
    val duplicate = queued(issue.duplicates.io.found)
    // One join for each header; both its output and its ready path end in a register.
    val all = StreamJoin(Seq(pending.io.pop, leaves, order, duplicate, difficulty.fails))
    val header = pending.io.pop.payload
    val mask = header.badSize ## duplicate.payload ## leaves.badZeroOrder ## order.payload ## leaves.xorNonZero ##
      difficulty.fails.payload

    val word = Reg(UInt(2 bits)) init 0
    reply.valid := all.valid
    reply.last := word === 2
    reply.data := word.mux(
      0 -> B(wire.reply, 32 bits) ## B(wire.replyBytes, 32 bits),
      1 -> header.index,
      default -> mask.resize(64 bits)
    )
    reply.keep := (word === 2) ? B(Word.keepOf(wire.replyBytes), 8 bits) | B(0xff, 8 bits)
    all.ready := reply.ready && reply.last
    when(reply.fire)(word := reply.last ? U(0) | word + 1)
  }

  val inside = Reg(UInt(log2Up(config.headers + 2) bits)) init 0
  val entering = intake.fire && intake.isIndex
  when(entering =/= answer.all.fire)(inside := entering ? (inside + 1) | (inside - 1))
  when(inside =/= 0)(busyCycles := busyCycles + 1)
  when(answer.all.fire) {
    done := done + 1
    lastLatency := clock - answer.header.arrival
  }
}
