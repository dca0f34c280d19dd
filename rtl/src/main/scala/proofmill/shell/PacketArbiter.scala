package proofmill.shell

import spinal.core._
import spinal.lib._

/** Round-robin arbiter of packet streams. A packet keeps the grant up to its last word.
  *
  * No storage, no latency. A waiting port is granted after at most `ports - 1` packets of other ports.
  */
case class PacketArbiter[T <: Data](payload: HardType[T], ports: Int) extends Component {
  require(ports > 0, "PacketArbiter: no port")

  val inputs = Vec(slave(Stream(Fragment(payload()))), ports) // packet streams; the granted one is ready with `output`
  val output = master(Stream(Fragment(payload()))) // whole packets of the inputs, one after the other

  /** Level: the packet of `owner` has begun and not ended. */
  val locked = RegInit(False)

  /** One-hot: the port of the current packet; between packets, that of the previous one. */
  val owner = Reg(Bits(ports bits)) init 1

  val requests = Vec(inputs.map(_.valid)).asBits
  val grant = Mux(locked, owner, OHMasking.roundRobin(requests, owner.rotateLeft(1)))

  output.valid := (grant & requests).orR
  output.payload := MuxOH(grant, inputs.map(_.payload))
  for (i <- 0 until ports) inputs(i).ready := grant(i) && output.ready

  when(output.valid) {
    owner := grant
    locked := !(output.ready && output.last)
  }
}
