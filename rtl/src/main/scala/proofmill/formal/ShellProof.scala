package proofmill.formal

import proofmill.shell._
import spinal.core._
import spinal.lib._

/** The whole shell, with one engine: no reply crosses a reset, and input is always accepted again.
  *
  * Every word after a header has in its lowest bit the colour of its period, which toggles with each RESET packet; the engine
  * returns it in its reply. A reply from before a reset is therefore visible after it by its colour.
  */
class ShellProof extends Component with Proof {
  // The shell makes reset domains of its own, so it gets a real reset: one cycle at the beginning.
  val powerUp = RegNext(False) init True
  val domain = ClockDomain(ClockDomain.current.readClockWire, powerUp, config = ClockDomainConfig(resetKind = SYNC))

  val proof = new ClockingArea(domain) {
    val slot = EngineSlot("echo", "echo", () => new EchoEngine)
    val dut = new Shell(ShellConfig(commandWords = 2, replyWords = 2, resetCycles = 3), Seq(slot))
    val rx = freeSource(dut.rx)
    val tx = freeSink(dut.tx)
    val axi = slave(cloneOf(dut.axi))
    dut.axi << axi
    assumeStaysOffered(rx)

    // Internal signals.
    val framer = dut.framer
    val request = dut.control.requests.pull()
    val command = framer.commands.head.pull()
    val merged = dut.arbiter.output.pull()

    // The colour of the period, and of each word that enters.
    val colour = RegInit(False)
    val resetDone = request.valid && request.ready && request.kind === RequestKind.RESET
    colour := colour ^ resetDone
    assume(!command.valid || command.fragment(0) === colour)

    // Words that leave the arbiter: the second one of an engine's reply is the index.
    val fires = merged.valid && merged.ready
    val second = RegInit(False)
    val ofEngine = RegInit(False)
    val replyHeader = Control.header(BigInt("80000100", 16), 16)
    when(fires) {
      second := !merged.last
      when(!second)(ofEngine := merged.fragment.data === replyHeader)
    }
    assert(
      !(fires && second && ofEngine) || merged.fragment.data(0) === colour,
      "nothing from before a reset comes after it"
    )
    assert(!resetDone || (fires && !second && merged.last), "the reset reply is whole, between packets")

    // Complete commands in flight, by the shell's own count.
    val inside = dut.busy.head.outstanding.pull()
    assert(!(RegNext(resetDone) init False) || inside === 0, "none is inside after a reset")

    // With a host that reads and an engine that replies.
    val begin = dut.engines.head.asInstanceOf[EchoEngine].begin.pull()
    val soft = dut.control.softReset.pull()
    responds("input is taken again", rx.valid && tx.ready && begin && !soft, rx.ready, within = 15)
  }
}
