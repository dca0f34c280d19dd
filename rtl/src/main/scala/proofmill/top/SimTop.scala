package proofmill.top

import proofmill.shell.Shell
import proofmill.stream.Word
import spinal.core._
import spinal.lib._

/** A card for simulation: the shell with plain port names.
  *
  * `clk`, `reset` (synchronous, high), AXI4-Stream `rx_t*` and `tx_t*` (64 bits), AXI4-Lite `axil_*` (16-bit addresses), and an AXI4 master
  * `mem<j>_*` for each memory channel.
  */
class SimTop(target: Target) extends Component {
  setDefinitionName(target.top)

  val shell = new Shell(target.config, target.engines)

  private val rx = slave(Word.packets) // packets from the host, AXI4-Stream `rx_t*`
  private val tx = master(Word.packets) // packets to the host, AXI4-Stream `tx_t*`
  private val axi = slave(cloneOf(shell.axi)) // register bus, AXI4-Lite `axil_*`
  SimTop.stream("rx", rx)
  SimTop.stream("tx", tx)
  SimTop.bus("axil", "aw" -> axi.aw, "w" -> axi.w, "b" -> axi.b, "ar" -> axi.ar, "r" -> axi.r)
  for ((inside, j) <- shell.memories.zipWithIndex) {
    val memory = master(cloneOf(inside)) // AXI4 of a memory channel, `mem<j>_*`
    SimTop.bus(s"mem$j", "aw" -> memory.aw, "w" -> memory.w, "b" -> memory.b, "ar" -> memory.ar, "r" -> memory.r)
    memory << inside
  }

  shell.rx << rx
  tx << shell.tx
  shell.axi << axi
}

/** Names of ports. */
object SimTop {

  /** An AXI4-Stream, by the names of the members of its payload. */
  def stream(prefix: String, port: Stream[_ <: Fragment[_ <: Bundle]]): Unit = {
    port.valid.setName(s"${prefix}_tvalid")
    port.ready.setName(s"${prefix}_tready")
    port.payload.last.setName(s"${prefix}_tlast")
    val beat = port.payload.fragment.asInstanceOf[Bundle]
    for ((name, signal) <- beat.elements) signal.setName(s"${prefix}_t$name")
  }

  /** An AXI4 or AXI4-Lite bus, channel by channel. */
  def bus(prefix: String, channels: (String, Stream[_ <: Data])*): Unit =
    for ((letters, channel) <- channels) {
      channel.valid.setName(s"${prefix}_${letters}valid")
      channel.ready.setName(s"${prefix}_${letters}ready")
      for ((name, signal) <- channel.payload.asInstanceOf[Bundle].elements) signal.setName(s"${prefix}_$letters$name")
    }
}
