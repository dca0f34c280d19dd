package proofmill.top

import proofmill.shell.{ResetSynchroniser, SerialConfig, SerialPort, Shell}
import spinal.core._

/** A card on a serial line, for small boards: `clk`, `reset` (active high, asynchronous), `rxd`, `txd`, `busy` (an engine is
  * busy) and `resetting`.
  *
  * There is one clock: the engines use the clock that samples the line. Memories are not supported.
  */
class SerialTop(target: Target, line: SerialConfig) extends Component {
  setDefinitionName(target.top)

  val clk = in(Bool()) // clock of the whole card
  val reset = in(Bool()) // active high, asynchronous
  val rxd = in(Bool()) // serial line from the host, idle high
  val txd = out(Bool()) // serial line to the host, idle high
  val busy = out(Bool()) // level: an engine is busy
  val resetting = out(Bool()) // level: the engines are in reset

  private val domain = ResetSynchroniser(clk, reset)

  val card = new ClockingArea(domain) {
    val shell = new Shell(target.config, target.engines)
    require(shell.memories.isEmpty, s"${target.name}: a card on a serial line has no memory")
    val door = SerialPort(line, shell.packets.flatten.map(_.bytes).foldLeft(8)(_ max _))
    door.rxd := rxd
    shell.rx << door.commands
    door.replies << shell.tx
    shell.axi << door.axi
    txd := door.txd
    busy := RegNext(shell.control.busy.pull()) init False
    resetting := RegNext(shell.resetting.pull()) init True
  }
}
