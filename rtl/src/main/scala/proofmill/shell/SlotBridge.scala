package proofmill.shell

import proofmill.spec.Spec
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi._
import spinal.lib.bus.amba4.axilite._

/** A DMA bridge for boards whose shell has none. Its streams and registers equal those of a card behind a vendor's bridge.
  *
  * {{{
  *   ocl ── registers of the bridge
  *       └─ Firewall ──────────► cards
  *   pcis ─ SlotReceiver ──────► toCard(0), toCard(1)
  *   pcim ◄ Firewall ─ SlotSender ◄ fromCard(0), fromCard(1)
  * }}}
  * A write of the session resets the card (`resetting`) for at least 64 cycles, and until no write over PCIM is outstanding.
  */
class SlotBridge(slots: Int) extends Component {
  import SlotRings._

  val ocl = slave(AxiLite4(32, 32)) // the board shell's register bus: card registers, then those of the bridge
  val pcis = slave(Axi4(SlotRings.pcis)) // writes of the host to the card's slots; reads return zeros
  val pcim = master(Axi4(SlotRings.pcim)) // writes to the host's slots
  val cards = master(AxiLite4(Shell.addressBits, 32)) // the card's register bus
  val toCard = Vec.fill(SlotRings.streams)(master(packets)) // to the card: packets, and transfers of the memory port
  val fromCard = Vec.fill(SlotRings.streams)(slave(packets)) // from the card: packets, and replies of the memory port
  val down = in(Bool()) // the card is in reset
  val resetting = out(RegInit(True)) // level: resets the card

  val session = Reg(UInt(16 bits)) init 0
  val open = RegNext(!resetting && session =/= 0) init False // falls when the session is written
  val refused = RegInit(False)

  val receiver = new SlotReceiver(slots)
  receiver.pcis << pcis
  receiver.session := session
  receiver.open := open
  for ((to, from) <- toCard.zip(receiver.streams)) to << from

  val sender = new SlotSender(slots)
  sender.session := session
  sender.open := open
  for ((to, from) <- sender.streams.zip(fromCard)) to << from
  // The board's shell hangs if it waits for a response; the card cannot reset it.
  val outer = Firewall(SlotRings.pcim, bursts = 2)
  outer.down := False
  outer.manager << sender.pcim
  pcim << outer.subordinate

  // Registers: those of the card, and those of the bridge.
  private val split = new LiteSplit(firstRegister)
  split.whole << ocl
  val inner = Firewall(LiteBus.config, bursts = 2, patience = SlotBridge.patience)
  inner.down := resetting
  LiteBus.widened(split.low, inner.manager, blocked = False)
  LiteBus.narrowed(inner.subordinate, cards)
  val registerPort = AxiLitePort(32)
  registerPort.axi << split.high
  val map = new RegisterMap(registerPort)
  map.constant(register("magic"), value("magic"))
  map.constant(register("layout"), value("layout"))
  map.constant(register("slots"), slots)
  map.readOnly(register("session"), session.asBits.resize(32))
  map.readOnly(
    register("state"),
    state("resetting" -> resetting, "down" -> down, "fault" -> sender.fault, "refused" -> refused)
  )
  private val low = map.readWrite(register("base_low"), bits = 32, used = 32, reset = 0)
  private val high = map.readWrite(register("base_high"), bits = 32, used = 32, reset = 0)
  sender.base := (high ## low.dropLow(12) ## B(0, 12 bits)).asUInt
  for (s <- 0 until SlotRings.streams) {
    map.readOnly(register("taken", s), session ## receiver.taken(s))
    map.readOnly(register("freed", s), session ## sender.read(s))
    sender.freed(s).valid := open && map.writes(register("freed", s)) && registerPort.writeData.takeHigh(
      16
    ).asUInt === session
    sender.freed(s).payload := registerPort.writeData.takeLow(16).asUInt
  }
  map.build(Spec.big(Spec.table("wire/shell").getTable("address_map"), "unmapped"))

  // The session.
  val timer = Reg(UInt(6 bits)) init 0
  when(resetting) {
    timer := timer + 1
    when(timer.andR) {
      timer := timer
      when(!sender.busy)(resetting := False)
    }
  }
  when(receiver.refused)(refused := True)
  when(map.writes(register("session"))) {
    session := registerPort.writeData.takeLow(16).asUInt
    resetting := True
    open := False
    timer := 0
    refused := False
  }
}

object SlotBridge {

  /** Maximum cycles of an access to the card's registers: half of the shell's 8 us at 250 MHz. */
  private val patience = 1024
}

/** Routes AXI4-Lite: addresses below `border` go to `low`, all others to `high`. One outstanding read and write. The data of a read of `low` with an
  * error is all ones.
  */
class LiteSplit(border: Int) extends Component {
  val whole = slave(AxiLite4(32, 32)) // accesses to route
  val low = master(AxiLite4(log2Up(border), 32)) // accesses to addresses below `border`
  val high = master(AxiLite4(32, 32)) // accesses to all other addresses, unchanged
  private def isLow(address: UInt): Bool = address < border

  val reads = new Area {
    val toLow, toHigh = RegInit(False)
    private val free = whole.ar.haltWhen(toLow || toHigh)
    private val mine = isLow(whole.ar.addr)
    low.ar.valid := free.valid && mine
    high.ar.valid := free.valid && !mine
    low.ar.addr := whole.ar.addr.resized
    high.ar.addr := whole.ar.addr
    Seq(low, high).foreach(_.ar.prot := whole.ar.prot)
    free.ready := mine ? low.ar.ready | high.ar.ready
    whole.r.valid := (toLow && low.r.valid) || (toHigh && high.r.valid)
    whole.r.resp := toLow ? low.r.resp | high.r.resp
    whole.r.data := toLow ? low.r.data | high.r.data
    when(toLow && low.r.resp =/= AxiLite4.resp.OKAY)(whole.r.data.setAll())
    low.r.ready := toLow && whole.r.ready
    high.r.ready := toHigh && whole.r.ready
    when(whole.r.fire) {
      toLow := False
      toHigh := False
    }
    when(whole.ar.fire) {
      toLow := mine
      toHigh := !mine
    }
  }

  // Address and data of a write pass in the same cycle or in either order.
  val writes = new Area {
    val toLow, toHigh = RegInit(False)
    private val mine = isLow(whole.aw.addr)
    private val begins = whole.aw.valid && whole.w.valid && !toLow && !toHigh
    whole.aw.ready := begins
    whole.w.ready := begins
    val address = RegNextWhen(whole.aw.payload, begins)
    val data = RegNextWhen(whole.w.payload, begins)
    val addressDue, dataDue = RegInit(False)
    private def side(chosen: Bool, bus: AxiLite4): Unit = {
      bus.aw.valid := addressDue && chosen
      bus.aw.addr := address.addr.resized
      bus.aw.prot := address.prot
      bus.w.valid := dataDue && chosen
      bus.w.payload := data
      bus.b.ready := chosen && whole.b.ready
      when(bus.aw.fire)(addressDue := False)
      when(bus.w.fire)(dataDue := False)
    }
    side(toLow, low)
    side(toHigh, high)
    whole.b.valid := (toLow && low.b.valid) || (toHigh && high.b.valid)
    whole.b.resp := toLow ? low.b.resp | high.b.resp
    when(whole.b.fire) {
      toLow := False
      toHigh := False
    }
    when(begins) {
      toLow := mine
      toHigh := !mine
      addressDue := True
      dataDue := True
    }
  }
}
