package proofmill.formal

import proofmill.shell.PacketArbiter
import spinal.core._
import spinal.lib._

/** The arbiter does not lose, repeat or mix words, and no port waits for more than one packet of each other port. */
class PacketArbiterProof(ports: Int) extends Component with Proof {
  val dut = PacketArbiter(Bits(2 bits), ports)
  val inputs = dut.inputs.map(freeSource(_))
  val output = freeSink(dut.output)
  inputs.foreach(assumeStaysOffered(_))

  val fires = Vec(inputs.map(_.fire)).asBits
  assert(output.fire === fires.orR, "a word leaves when one enters")
  assert(CountOne(fires) <= 1, "one at a time")
  for (input <- inputs) assert(!input.fire || input.payload.asBits === output.payload.asBits, "unchanged")

  // Between the first and the last word of a packet only its port is granted.
  val open = Reg(Bits(ports bits)) init 0
  when(output.fire)(open := output.last ? B(0, ports bits) | fires)
  assert(!output.fire || open === 0 || open === fires, "packets are not mixed")

  val waiting = Vec(inputs.map(_.valid)).asBits
  assert(output.valid === Mux(open === 0, waiting, waiting & open).orR, "idle only when nothing waits that may go")
  staysOffered("output", output)

  // While a port waits to begin a packet, at most ports - 1 others begin.
  for ((input, i) <- inputs.zipWithIndex) {
    val others = Reg(UInt(log2Up(ports + 1) bits)) init 0
    val waits = input.valid && !open(i) && !input.fire
    val begins = output.fire && open === 0
    when(!waits)(others := 0) elsewhen (begins)(others := others + 1)
    assert(!(waits && begins && others === ports - 1), s"port $i is served in its turn")
  }
}
