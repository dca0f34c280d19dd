package proofmill.formal

import proofmill.shell.{AxiLitePort, RegisterMap}
import spinal.core._
import spinal.lib._

/** Registers hold the written bytes; a count is read in two halves as of one cycle; all other addresses read `unmapped`. */
class RegisterMapProof extends Component with Proof {
  val door = AxiLitePort(5)
  val axi = slave(cloneOf(door.axi))
  door.axi << axi

  val count = in(Bits(64 bits))
  val map = new RegisterMap(door)
  map.constant(0x00, 0x1234)
  val held = map.readWrite(0x08, bits = 64, used = 43, reset = 5)
  map.counter(0x10, count)
  map.build(unmapped = 0xbeef)

  // Writes, at the bus.
  val expected = Reg(Bits(64 bits)) init 5
  val writes = axi.aw.fire
  for (byte <- 0 until 8) when(writes && axi.aw.addr(4 downto 2) === 2 + byte / 4 && axi.w.strb(byte % 4)) {
    val mask = (((BigInt(1) << 43) - 1) >> 8 * byte) & 0xff
    expected(8 * byte, 8 bits) := axi.w.data(8 * (byte % 4), 8 bits) & B(mask, 8 bits)
  }
  assert(held === expected(42 downto 0), "the register holds what was written, byte by byte")
  assert(expected(63 downto 43) === 0, "unused bits stay 0")

  // Reads, in the cycle in which the port samples the value.
  val address = door.readAddress(4 downto 2)
  val highAtLow = RegNextWhen(count(63 downto 32), door.read && address === 4)
  val known = Seq(
    0 -> B(0x1234, 32 bits),
    2 -> expected(31 downto 0),
    3 -> expected(63 downto 32),
    4 -> count(31 downto 0),
    5 -> highAtLow
  )
  val value = known.foldLeft(B(0xbeef, 32 bits)) { case (other, (at, word)) => Mux(address === at, word, other) }
  assert(!door.read || door.readData.pull() === value, "each address reads its register")
}
