package proofmill.shell

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi._

/** AXI4 clock domain crossing: an [[AsyncFifo]] for each channel.
  *
  * Each FIFO holds `depth` beats, addresses or responses. Both domains are in reset together, or each for as long as the
  * other is.
  */
case class AxiCrossing(config: Axi4Config, depth: Int, managers: ClockDomain, subordinates: ClockDomain)
    extends Component {
  val manager = slave(Axi4(config)) // AXI4 of the manager, in the clock `managers`
  val subordinate = master(Axi4(config)) // AXI4 to the subordinate, in the clock `subordinates`

  private def there[T <: Data](from: Stream[T], to: Stream[T]): Unit = cross(from, to, managers, subordinates)
  private def back[T <: Data](from: Stream[T], to: Stream[T]): Unit = cross(from, to, subordinates, managers)
  private def cross[T <: Data](from: Stream[T], to: Stream[T], writer: ClockDomain, reader: ClockDomain): Unit = {
    val fifo = AsyncFifo(cloneOf(from.payload), depth, writer, reader)
    fifo.push << from
    to << fifo.pop
  }

  there(manager.ar, subordinate.ar)
  there(manager.aw, subordinate.aw)
  there(manager.w, subordinate.w)
  back(subordinate.r, manager.r)
  back(subordinate.b, manager.b)
}
