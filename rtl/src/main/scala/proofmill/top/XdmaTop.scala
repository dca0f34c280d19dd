package proofmill.top

import proofmill.shell._
import proofmill.stream.{Beat, Narrower, Widener}
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi._
import spinal.lib.bus.amba4.axilite._

/** A card behind the vendor's DMA bridge for PCIe, with a clock of the bridge, one of the engines and one of the memory:
  *
  * {{{
  *   bridge clock               card clock                                    memory clock
  *   h2c_0 ─ Narrower ─ fifo ─► Shell ─ MemoryGuard ┐
  *   c2h_0 ◄ Widener ── fifo ── │ │                 MemoryShare ─ Firewall ─ AxiCrossing ─ MemoryGuard ─ MemoryStripe ─► mem<j>
  *   h2c_1 ──────────── fifo ─► HostMemoryPort ─────────┘
  *   c2h_1 ◄─────────── fifo ── │
  *   axil ─ Firewall ─ AxiCrossing ─ registers
  * }}}
  * `resetn` is the bridge's reset; `memory_resetn` is high while the memory is operational. Both are asynchronous, but a
  * reset of the memory lasts at least 32 of its cycles. While the card is in reset, register accesses end with SLVERR, and
  * bursts to the memory are completed. The memory gets no new burst until they are complete, which may be after the reset.
  * While the memory is in reset, or when it hangs, the engines' bursts end with SLVERR, so their commands end with
  * `memory_fault`; a memory that hung is not accessed until its reset. Clocks differ by a factor of at most four.
  *
  * A channel of the card has as many ports `mem<j>` as the target specifies; the ports of a channel have consecutive numbers.
  *
  * `irq` requests an interrupt when a reply leaves, until `irq_ack`.
  */
class XdmaTop(target: Target, name: String) extends Component {
  setDefinitionName(name)
  private val bytes = XdmaTop.bytes

  val clk, resetn, card_clk, memory_clk, memory_resetn = in(Bool()) // clocks; asynchronous resets, active low
  val irq = out(Bool()) // level: requests an interrupt, from a reply's last beat until `irq_ack`
  val irq_ack = in(Bool()) // pulse: the bridge has accepted the interrupt

  // Domains: of each clock, and those for logic that is in reset with either of two neighbours.
  val cards = new ResetSequencer(card_clk, !resetn)
  val memories = new ResetSequencer(memory_clk, !memory_resetn)
  private val bridge = ResetSynchroniser(clk, !resetn)
  private val card = cards.domain
  private val memory = memories.domain
  private def seen(domain: ClockDomain, level: Bool): Bool =
    new ClockingArea(domain.copy(reset = null, config = ClockDomainConfig(resetKind = BOOT))) {
      val seen = Synchroniser(level, reset = true)
    }.seen
  private def linked(domain: ClockDomain, down: Bool): ClockDomain = domain.copy(reset = domain.readResetWire || down)
  val cardDownAtBridge = seen(bridge, cards.down)
  val cardDownAtMemory = seen(memory, cards.down)
  val memoryDownAtCard = seen(card, memories.down)
  private val bridgeLink = linked(bridge, cardDownAtBridge)
  private val cardLink = linked(card, memoryDownAtCard)
  private val memoryLink = linked(memory, cardDownAtMemory)

  // No word is accepted in a reset, which is longer than that of the bridge.
  private val absent = bridge.readResetWire
  private val unlinked = bridgeLink.readResetWire

  // The card.
  val shell = card(new Shell(target.config, target.engines))

  // Packets.
  val rx = slave(Stream(Fragment(Beat(bytes)))) // packets from the host (h2c_0), in the bridge's clock
  val tx = master(Stream(Fragment(Beat(bytes)))) // packets to the host (c2h_0), in the bridge's clock
  SimTop.stream("rx", rx)
  SimTop.stream("tx", tx)
  private def cross[T <: Data](
      from: Stream[T],
      to: Stream[T],
      depth: Int,
      writer: ClockDomain,
      reader: ClockDomain
  ): Unit = {
    val fifo = AsyncFifo(cloneOf(from.payload), depth, writer, reader)
    fifo.push << from
    to << fifo.pop
  }
  val narrower = bridgeLink(new Narrower(bytes))
  val widener = bridgeLink(new Widener(bytes))
  narrower.wide << rx.haltWhen(unlinked)
  cross(narrower.narrow, shell.rx, XdmaTop.words, bridgeLink, card)
  cross(shell.tx, widener.narrow, XdmaTop.words, card, bridgeLink)
  tx << widener.wide

  // The host's port to the memory.
  val door = for (bulk <- shell.bulk) yield {
    val doorRx = slave(Stream(Fragment(Beat(bytes)))) // transfers to the memory port (h2c_1), in the bridge's clock
    val doorTx = master(Stream(Fragment(Beat(bytes)))) // replies of the memory port (c2h_1), all bytes valid
    SimTop.stream("door_rx", doorRx)
    SimTop.stream("door_tx", doorTx)
    val (commands, answers) = (cloneOf(bulk.transfers), cloneOf(bulk.answers))
    commands.arbitrationFrom(doorRx.haltWhen(unlinked))
    commands.fragment := doorRx.data
    commands.last := doorRx.last
    cross(commands, bulk.transfers, XdmaTop.beats, bridgeLink, card)
    cross(bulk.answers, answers, XdmaTop.beats, card, bridgeLink)
    doorTx.arbitrationFrom(answers)
    doorTx.data := answers.fragment
    doorTx.keep.setAll()
    doorTx.last := answers.last
    (doorRx, doorTx)
  }

  // Registers.
  val axil = slave(cloneOf(shell.axi)) // the register bus, in the bridge's clock
  SimTop.bus("axil", "aw" -> axil.aw, "w" -> axil.w, "b" -> axil.b, "ar" -> axil.ar, "r" -> axil.r)
  val registers = new ClockingArea(bridge) {
    val firewall = Firewall(LiteBus.config, bursts = 2)
    firewall.down := cardDownAtBridge
    LiteBus.widened(axil, firewall.manager, absent)
    val crossing = AxiCrossing(LiteBus.config, 4, bridgeLink, card)
    // A register between the ready path of the crossing and the bridge.
    crossing.manager << bridgeLink(firewall.subordinate.pipelined(w = StreamPipe.S2M))
    LiteBus.narrowed(crossing.subordinate, shell.axi)
  }

  // Memory.
  private val striped = target.stripes > 1
  val ports = shell.memories.flatMap { inside => // AXI4 `mem<j>_*`, in the memory's clock
    val config = if (striped) MemoryStripe.config(inside.config, target.stripes) else inside.config
    Seq.fill(target.stripes)(master(Axi4(config)))
  }
  for ((port, j) <- ports.zipWithIndex)
    SimTop.bus(s"mem$j", "aw" -> port.aw, "w" -> port.w, "b" -> port.b, "ar" -> port.ar, "r" -> port.r)
  private def registered(bus: Axi4): Axi4 = {
    import StreamPipe.FULL
    bus.pipelined(aw = FULL, w = FULL, b = FULL, ar = FULL, r = FULL)
  }
  val guards = for (((inside, mine), j) <- shell.memories.zip(ports.grouped(target.stripes).toSeq).zipWithIndex) yield {
    val config = inside.config
    val firewall = card(Firewall(config, bursts = 128))
    firewall.down := memoryDownAtCard
    firewall.manager << inside
    val crossing = AxiCrossing(config, XdmaTop.beats, cardLink, memoryLink)
    crossing.manager << firewall.subordinate
    val guard = memory(MemoryGuard(config, bursts = 128))
    // During a reset the crossing's output is undefined; after it, bursts from before are completed.
    val ending = memory(RegInit(True)).setName(s"ending_$j")
    ending := cardDownAtMemory || ending && guard.busy
    guard.blocked := cardDownAtMemory || memories.down || ending
    // The guard accepts addresses and data of writes when the memory does: a register between that path and the crossing.
    guard.engine << memoryLink(crossing.subordinate.pipelined(aw = StreamPipe.S2M, w = StreamPipe.S2M))
    if (striped) {
      val stripe = memory(MemoryStripe(config, target.stripes))
      stripe.manager << memory(registered(guard.memory))
      for ((port, one) <- mine.zip(stripe.memories)) port << one
    } else mine.head << guard.memory
    guard
  }

  // Interrupts: one interrupt can report several replies.
  val interrupts = new ClockingArea(bridge) {
    val wanted, asking = RegInit(False)
    when(tx.fire && tx.last)(wanted := True)
    when(!asking && wanted) {
      asking := True
      wanted := tx.fire && tx.last
    }
    when(asking && irq_ack)(asking := False)
    irq := asking
  }
}

object XdmaTop {

  /** Bytes of a beat of the bridge: PCIe Gen3 x16 or Gen4 x8. */
  val bytes = 64

  /** Depths of the crossings. */
  private val words = 64
  private val beats = 32
}
