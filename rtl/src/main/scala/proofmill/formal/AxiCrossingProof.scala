package proofmill.formal

import proofmill.shell.{AsyncFifo, AxiCrossing}
import spinal.core._
import spinal.lib._

/** Proof of an AXI4 crossing between two clocks: each of its five channels is one asynchronous FIFO. The crossing does not
  * order channels; the subordinate orders its responses after the requests.
  */
class AxiCrossingProof(depth: Int) extends Component with CrossedWords {
  val (managerTicks, managers) = freeClock("manager")
  val (subordinateTicks, subordinates) = freeClock("subordinate")
  val dut = AxiCrossing(Proof.axi, depth, managers, subordinates)
  private val fifos = dut.children.collect { case fifo: AsyncFifo[_] => fifo.asInstanceOf[AsyncFifo[Data]] }
  private val Seq(readAddresses, writeAddresses, writeData, readData, responses) = fifos.toSeq

  private def crossed(
      name: String,
      fifo: AsyncFifo[Data],
      from: Stream[_ <: Data],
      to: Stream[_ <: Data],
      ticks: (Bool, Bool)
  ): Area = {
    val push = freeSource(from.asInstanceOf[Stream[Data]]).setName(s"${name}_in")
    val pop = freeSink(to.asInstanceOf[Stream[Data]]).setName(s"${name}_out")
    new Crossed(name, fifo, push, pop, ticks._1, ticks._2).setName(name)
  }
  private val there = (managerTicks, subordinateTicks)
  private val back = there.swap
  crossed("ar", readAddresses, dut.manager.ar, dut.subordinate.ar, there)
  crossed("aw", writeAddresses, dut.manager.aw, dut.subordinate.aw, there)
  crossed("w", writeData, dut.manager.w, dut.subordinate.w, there)
  crossed("r", readData, dut.subordinate.r, dut.manager.r, back)
  crossed("b", responses, dut.subordinate.b, dut.manager.b, back)
}
