package proofmill.top

import proofmill.shell.Shell
import proofmill.stream.Word
import spinal.core._
import spinal.lib._

/** A card for simulation: the shell with plain port names.
  *
  * `clk`, `reset` (synchronous, high), AXI4-Stream `rx_t*` and `tx_t*` (64 bits), AXI4-Lite `axil_*` (16-bit addresses).
  */
class SimTop(target: Target) extends Component {
  setDefinitionName(target.top)

  val shell = new Shell(target.config, target.engines)

  private def stream(prefix: String, port: Stream[Fragment[Word]]): Unit = {
    port.valid.setName(s"${prefix}_tvalid")
    port.ready.setName(s"${prefix}_tready")
    port.last.setName(s"${prefix}_tlast")
    port.fragment.data.setName(s"${prefix}_tdata")
    port.fragment.keep.setName(s"${prefix}_tkeep")
  }

  private val rx = slave(Word.packets)
  private val tx = master(Word.packets)
  private val axi = slave(cloneOf(shell.axi))
  stream("rx", rx)
  stream("tx", tx)
  for ((channel, prefix) <- Seq(axi.aw -> "aw", axi.w -> "w", axi.b -> "b", axi.ar -> "ar", axi.r -> "r")) {
    channel.valid.setName(s"axil_${prefix}valid")
    channel.ready.setName(s"axil_${prefix}ready")
    for ((name, signal) <- channel.payload.asInstanceOf[Bundle].elements) signal.setName(s"axil_$prefix$name")
  }

  shell.rx << rx
  tx << shell.tx
  shell.axi << axi
}
