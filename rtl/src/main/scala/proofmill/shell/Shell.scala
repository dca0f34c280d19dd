package proofmill.shell

import proofmill.arith.Copies
import proofmill.engine.Engine
import proofmill.spec.{Block, Spec}
import proofmill.stream.Word
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi.Axi4
import spinal.lib.bus.amba4.axilite._

/** The shell of a card: routes packets to and from the engines, and has the registers.
  *
  * {{{
  *          +----------+   +---------+   +--------+   +---------+   +---------+
  *   rx --->| RxFramer |-->| command |-->| engine |-->|  reply  |-->| Packet  |---> tx
  *          |          |   |  queue  |   |        |   |  queue  |   | Arbiter |
  *          +----------+   +---------+   +--------+   +---------+   |         |
  *               |                              | MemoryGuard ---|---------|---> memories
  *               |  RESET, STATUS, IGNORE   +-------------+         |         |
  *               +------------------------->| ControlUnit |-------->|         |
  *                                          +-------------+         +---------+
  *   axi <--> AxiLitePort <--> RegisterMap (identification, shell block, one block an engine)
  *        WindowPort in front of it, if an engine has a window
  * }}}
  * With an adapter, `rx` and `tx` carry its format. With the mailbox, they are unused and packets pass through the registers.
  */
class Shell(config: ShellConfig, slots: Seq[EngineSlot]) extends Component {
  val rx = slave(Word.packets) // packets from the host, or an adapter's format; unused with the mailbox
  val tx = master(Word.packets) // packets to the host, or an adapter's format; unused with the mailbox
  val axi = slave(AxiLite4(Shell.addressBits, 32)) // the register bus; addresses in bytes

  // The reset of the engines and their queues.
  val resetting = Bool()
  val inReset = RegNext(resetting) init True
  val fresh = ClockDomain.current.copy(reset = inReset)

  /** A copy of the reset level for one reader, since the register of the engines' reset has thousands. */
  private def blocked: Bool = Copies.one(resetting, init = true)

  // Engines, each with a command queue and a reply queue.
  val engines: Seq[Engine] = slots.map(slot => fresh(slot.build()).setPartialName(slot.instance))
  val commandQueues = engines.map { e =>
    Option.when(e.commands.nonEmpty)(fresh(PacketFifo(cloneOf(e.command.fragment), config.commandWords)))
  }
  val replyQueues = engines.map(e => PacketFifo(Word(), Shell.replyWords(config, e)))
  for ((engine, (commands, replies)) <- engines.zip(commandQueues.zip(replyQueues))) {
    for (packet <- engine.commands)
      require(packet.bytes - 8 <= config.commandWords * 8, s"${packet.bytes} bytes do not fit the command queue")
    if (commands.isEmpty) engine.command.setIdle()
    for (queue <- commands) engine.command << queue.pop
    replies.push << engine.reply
    replies.rollback := blocked
  }

  // Memory channels of all engines, in their order.
  private def guarded(channel: Axi4, bursts: Int): MemoryGuard = {
    val guard = MemoryGuard(channel.config, bursts)
    guard.engine << channel
    guard.blocked := blocked
    guard
  }
  private val own = engines.flatMap(engine => engine.memories.map(engine -> _))
  val guards = own.map { case (engine, channel) => guarded(channel, engine.bursts) }
  val memories = guards.map(guard => master(Axi4(guard.memory.config))) // memory channels of the engines, in order

  // A channel that an engine lends to another is shared.
  private val lent = engines.flatMap(engine => engine.lent.map(engine.memories(_)))
  private val borrowers = engines.filter(_.borrowed.nonEmpty)
  require(borrowers.size <= lent.size && borrowers.size <= 1, s"${borrowers.size} engines borrow ${lent.size} channels")
  val borrows = borrowers.map(engine => guarded(engine.borrowed.get, engine.bursts))
  private val channels =
    for ((guard, (_, channel)) <- guards.zip(own)) yield borrows.headOption match {
      case Some(borrow) if channel eq lent.head =>
        val share = MemoryShare(guard.memory.config, bursts = 1024)
        share.managers(0) << guard.memory
        share.managers(1) << borrow.memory
        share.memory
      case _ => guard.memory
    }

  // The host's port to the memories, if there is one.
  val bulk = Option.when(config.memoryPort && guards.nonEmpty)(new Bulk)
  for (((port, channel), i) <- memories.zip(channels).zipWithIndex) bulk match {
    case Some(bulk) => bulk.share(i, channel, port)
    case None       => port << channel
  }

  /** The host's port to the memories: reset and guarded like an engine, it shares each channel with the engine. */
  class Bulk extends Area {
    val transfers = slave(Stream(Fragment(Bits(Engine.memoryBits bits)))) // transfers of the host: [[HostMemoryPort]]
    val answers = master(Stream(Fragment(Bits(Engine.memoryBits bits)))) // replies to them: [[HostMemoryPort]]
    private val widest = guards.map(_.memory.config).maxBy(_.addressWidth)
    val memoryPort =
      fresh(new HostMemoryPort(widest, guards.map(guard => BigInt(1) << guard.memory.config.addressWidth)))
    memoryPort.io.transfers << transfers
    memoryPort.io.answers >> answers
    val guard = MemoryGuard(widest)
    guard.engine << memoryPort.io.memory
    guard.blocked := blocked
    val channel = RegNextWhen(memoryPort.io.channel, !guard.busy) init 0
    private val all = guard.memory
    private val ports = memories.map(port => Axi4(port.config))
    private def one(get: Axi4 => Bool) = Vec(ports.map(get))(channel)
    all.ar.ready := one(_.ar.ready)
    all.aw.ready := one(_.aw.ready)
    all.w.ready := one(_.w.ready)
    all.r.valid := one(_.r.valid)
    all.r.payload := Vec(ports.map(_.r.payload))(channel)
    all.b.valid := one(_.b.valid)
    all.b.payload := Vec(ports.map(_.b.payload))(channel)
    for ((port, i) <- ports.zipWithIndex) {
      val selected = channel === i
      for ((to, from) <- Seq(port.ar -> all.ar, port.aw -> all.aw)) {
        to.valid := from.valid && selected
        to.payload.assignSomeByName(from.payload)
        to.addr.removeAssignments() := from.addr.resized
      }
      port.w.valid := all.w.valid && selected
      port.w.payload := all.w.payload
      port.r.ready := all.r.ready && selected
      port.b.ready := all.b.ready && selected
    }

    def share(i: Int, engine: Axi4, port: Axi4): Unit = {
      val share = MemoryShare(port.config)
      share.managers(0) << engine
      share.managers(1) << ports(i)
      port << share.memory
    }
  }

  // Input. All packets of an engine share its queue.
  val packets = engines.map(e => e.commands.map(packet => EngineCommand(packet.wire.number, packet.bytes)))
  val framer = RxFramer(packets.flatten)
  framer.abort := resetting || blocked
  private val ports = framer.commands.zip(framer.rollback).iterator
  for ((Some(queue), kinds) <- commandQueues.zip(packets)) {
    val (commands, rollbacks) = ports.take(kinds.size).toSeq.unzip
    val mine = commands.map(_.valid)
    queue.push.valid := mine.orR
    queue.push.fragment := commands.head.fragment.resized
    if (kinds.size > 1) queue.push.fragment.drop(64) := OHToUInt(mine).asBits
    queue.push.last := commands.head.last
    commands.foreach(_.ready := queue.push.ready)
    queue.rollback := rollbacks.orR
  }

  // Output.
  val capabilities = engines.map(e => BigInt(1) << e.capability).sum
  val identity = Identity(
    config.version,
    config.characters(config.buildDate),
    config.characters(config.buildHost),
    capabilities
  )
  val control = ControlUnit(identity, config.resetCycles)
  val arbiter = PacketArbiter(Word(), engines.size + 1)
  val hold = RequestHold()
  hold.request << framer.requests
  control.requests << hold.registered
  // One cycle late, which is harmless: no access begins during a reset.
  control.repliesWaiting := RegNext(replyQueues.map(!_.empty).foldLeft(False)(_ || _)) init True
  control.memoriesBusy := RegNext(
    (guards ++ borrows ++ bulk.map(_.guard)).map(_.busy).foldLeft(False)(_ || _)
  ) init True
  resetting := control.resetting
  for ((input, reply) <- arbiter.inputs.zip(control.reply +: replyQueues.map(_.pop))) input << reply

  // An engine is busy from the last word of a command to the last word of its reply.
  val busy =
    for (((engine, commands), i) <- engines.zip(commandQueues).zipWithIndex) yield new ClockingArea(fresh) {
      val outstanding = Reg(UInt(16 bits)) init 0
      val begins = commands.map(queue => queue.push.fire && queue.push.last).getOrElse(False)
      val ends = arbiter.inputs(i + 1).fire && arbiter.inputs(i + 1).last
      outstanding := outstanding + begins.asUInt - ends.asUInt
      val now = engine.working.getOrElse(outstanding =/= 0)
    }
  control.busy := busy.map(_.now).foldLeft(False)(_ || _)

  // Register ports.
  val registerPort = AxiLitePort(Shell.addressBits)
  private val windows = engines.flatMap(_.window)
  require(windows.size <= 1, "two engines with a window")
  if (windows.isEmpty) registerPort.axi << axi
  for (window <- windows) {
    val split = WindowPort(Shell.addressBits, window.base, window.bytes)
    split.axi << axi
    registerPort.axi << split.rest
    window << split.window
    split.blocked := blocked
  }
  val map = new RegisterMap(registerPort)
  val mailbox = config.mailbox generate Mailbox(Shell.mailboxWords)
  val streams = config.adapter.map(_())
  if (config.mailbox) {
    mailbox.connect(map, registerPort, Shell.streamControl)
    framer.rx << mailbox.commands.m2sPipe()
    mailbox.replies << arbiter.output.m2sPipe()
    rx.ready := False
    tx.setIdle()
  } else if (streams.nonEmpty) {
    // It is not reset: it completes what it has begun to send.
    streams.get.rx << rx.m2sPipe()
    framer.rx << streams.get.commands.m2sPipe()
    streams.get.replies << arbiter.output
    tx << streams.get.tx.s2mPipe().m2sPipe()
  } else {
    framer.rx << rx.m2sPipe()
    tx << arbiter.output.s2mPipe().m2sPipe()
  }

  // Registers.
  val counters = new ClockingArea(fresh) {
    def count(event: Bool): Bits = {
      val value = Reg(UInt(64 bits)) init 0
      when(event)(value := value + 1)
      value.asBits
    }
    private val requests = framer.requests
    val status = Map(
      "cycles" -> count(True),
      "packets_in" -> count(framer.taken),
      "packets_out" -> count(arbiter.output.fire && arbiter.output.last),
      "ignored" -> count(requests.fire && requests.kind === RequestKind.IGNORE),
      "control" -> framer.abort.asBits.resize(32 bits)
    )
    for ((name, value) <- status if name != "control") value.setName(name)
    val ofDoor = bulk.map(_.memoryPort.events.map { case (name, event) => name -> count(event) })
  }
  val registers = new ClockingArea(fresh) {
    Shell.identify(map, if (streams.isEmpty) "layout" else "streams")
    val header = Shell.block
    val blocks = (header +: engines.map(_.block)) ++ bulk.map(_ => HostMemoryPort.block)
    require(
      blocks.size <= Shell.maxBlocks,
      s"${engines.size} engines: the address map has room for ${Shell.maxBlocks - 1}"
    )
    private def at(i: Int) = Shell.firstBlock + i * Shell.blockStride
    private def next(i: Int) = if (i + 1 < blocks.size) at(i + 1) else 0

    private val about = Map[String, BigInt](
      "version" -> identity.version,
      "build_date" -> identity.buildDate,
      "build_host" -> identity.buildHost,
      "cmd_cap" -> capabilities,
      "max_packet" -> packets.flatten.map(_.bytes).foldLeft(8)(_ max _)
    )
    BlockMap(map, at(0), next(0), header, about, counters.status, Map.empty)
    for ((engine, i) <- engines.zipWithIndex) {
      val inputs = engine.control.map { case (name, input) => name -> (input.getWidth, engine.resets(name)) }
      val held = BlockMap(map, at(i + 1), next(i + 1), engine.block, engine.parameters, engine.status, inputs)
      for ((name, input) <- engine.control) input := held(name)
    }
    for (counted <- counters.ofDoor) {
      val known = Map("channels" -> BigInt(memories.size), "longest" -> BigInt(HostMemoryPort.longest))
      BlockMap(map, at(blocks.size - 1), 0, HostMemoryPort.block, known, counted, Map.empty)
    }
    map.build(Shell.unmapped)
  }
  control.softReset := map.writes(Shell.controlAddress) && registerPort.writeStrobe(0) && registerPort.writeData(0)
}

object Shell {
  private val wire = Spec.table("wire/shell")
  private val addresses = wire.getTable("address_map")
  private val identification = wire.getTable("identification")

  val addressBits: Int = Spec.int(addresses, "bits")
  val unmapped: BigInt = Spec.big(addresses, "unmapped")
  val streamControl: Int = Spec.int(addresses.getTable("stream_control"), "base")
  val firstBlock: Int = Spec.int(addresses.getTable("blocks"), "base")
  val blockStride: Int = Spec.int(addresses.getTable("blocks"), "stride")
  val maxBlocks: Int = ((1 << addressBits) - firstBlock) / blockStride
  val mailboxWords: Int = Spec.int(wire.getTable("mailbox"), "depth_words")

  val block: Block = Block(wire)
  val controlAddress: Int = firstBlock + block.registers.find(_.name == "control").get.offset

  /** The depth of an engine's reply queue: at least its longest reply. */
  private def replyWords(config: ShellConfig, engine: Engine): Int = {
    val longest = (engine.longestUnsolicited +: engine.commands.map(_.wire.replyBytes)).max
    config.replyWords max (1 << log2Up((longest + 7) / 8))
  }

  /** The identification page, which is the same on all cards. */
  def identify(map: RegisterMap, layout: String): Unit = {
    def at(name: String) = Spec.int(identification.getTable(name), "offset")
    def value(name: String) = Spec.big(identification.getTable(name), "value")
    map.constant(at("magic"), value("magic"))
    map.constant(at("layout"), value(layout))
    map.constant(at("first_block"), firstBlock)
    map.readWrite(at("scratch"), 32, 32, 0).setName("scratch")
  }
}
