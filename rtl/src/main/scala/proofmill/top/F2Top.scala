package proofmill.top

import proofmill.shell.{ResetSynchroniser, SlotBridge}
import spinal.core._
import spinal.lib._

/** A card behind the shell of an AWS F2 instance: a DMA bridge of this library in front of [[XdmaTop]]. Crossings, firewalls
  * and resets are the same.
  *
  * `clk` and `resetn` are the shell's `clk_main_a0` and `rst_main_n`; `ocl`, `pcis` and `pcim` are its buses, without the
  * signals that the shell does not use. The other clocks and the memory are as in [[XdmaTop]]. The card is in reset with the
  * shell and when its host writes another session.
  */
class F2Top(target: Target, slots: Int) extends Component {
  setDefinitionName(target.top)

  val clk, resetn, card_clk, memory_clk, memory_resetn = in(Bool()) // clocks; asynchronous resets, active low

  val bridge = ResetSynchroniser(clk, !resetn)(new SlotBridge(slots))
  val card = new XdmaTop(target, s"${target.top}Card")

  private val ocl = slave(cloneOf(bridge.ocl)) // register bus of the shell
  private val pcis = slave(cloneOf(bridge.pcis)) // the host's writes to the card
  private val pcim = master(cloneOf(bridge.pcim)) // the card's writes to the host's memory
  for ((name, bus) <- Seq("pcis" -> pcis, "pcim" -> pcim))
    SimTop.bus(name, "aw" -> bus.aw, "w" -> bus.w, "b" -> bus.b, "ar" -> bus.ar, "r" -> bus.r)
  SimTop.bus("ocl", "aw" -> ocl.aw, "w" -> ocl.w, "b" -> ocl.b, "ar" -> ocl.ar, "r" -> ocl.r)
  bridge.ocl << ocl
  bridge.pcis << pcis
  pcim << bridge.pcim

  card.clk := clk
  card.resetn := resetn && !bridge.resetting
  card.card_clk := card_clk
  card.memory_clk := memory_clk
  card.memory_resetn := memory_resetn
  card.irq_ack := card.irq // always acknowledged: interrupts are not used
  bridge.down := card.cardDownAtBridge.pull()
  card.axil << bridge.cards

  // Streams: packets, and those of the memory port. Without a memory port, its output is silent and its input is discarded.
  card.rx << bridge.toCard(0)
  bridge.fromCard(0) << card.tx
  card.door match {
    case Some((rx, tx)) =>
      rx << bridge.toCard(1)
      bridge.fromCard(1) << tx
    case None =>
      bridge.toCard(1).freeRun()
      bridge.fromCard(1).setIdle()
  }

  for ((inside, j) <- card.ports.zipWithIndex) {
    val memory = master(cloneOf(inside)) // AXI4 of a memory channel or of its part, `mem<j>_*`
    SimTop.bus(s"mem$j", "aw" -> memory.aw, "w" -> memory.w, "b" -> memory.b, "ar" -> memory.ar, "r" -> memory.r)
    memory << inside
  }
}
