package proofmill.shell

import spinal.core._
import spinal.lib._

import scala.collection.mutable

/** Collects the registers of a port by their byte addresses, then builds the read multiplexer. */
class RegisterMap(port: AxiLitePort) {
  private val words = mutable.LinkedHashMap[Int, Bits]()

  private def place(address: Int, word: Bits): Unit = {
    require(address % 4 == 0, f"register at 0x$address%04X is not aligned")
    require(!words.contains(address), f"two registers at 0x$address%04X")
    words(address) = word
  }

  /** The 32-bit words of a value, low word first. */
  private def wordsOf(value: Bits): Seq[Bits] =
    (0 until (value.getWidth + 31) / 32).map(i =>
      value(value.getWidth.min(32 * i + 32) - 1 downto 32 * i).resize(32 bits)
    )

  /** Pulse: the address is read. */
  def reads(address: Int): Bool = port.read && port.readAddress === address

  /** Pulse: the address is written. */
  def writes(address: Int): Bool = port.write && port.writeAddress === address

  def constant(address: Int, value: BigInt, bits: Int = 32): Unit =
    for (i <- 0 until (bits + 31) / 32) place(address + 4 * i, B((value >> 32 * i) & 0xffffffffL, 32 bits))

  def readOnly(address: Int, value: Bits): Unit =
    for ((word, i) <- wordsOf(value).zipWithIndex) place(address + 4 * i, word)

  /** A 64-bit counter: reading the low word latches the high word for the next read. */
  def counter(address: Int, count: Bits): Unit = {
    val Seq(low, high) = wordsOf(count.resize(64 bits))
    place(address, low)
    place(address + 4, RegNextWhen(high, reads(address)))
  }

  /** A register of `bits` bits with byte strobes; the lowest `used` ones exist, the others read 0. */
  def readWrite(address: Int, bits: Int, used: Int, reset: BigInt): Bits = {
    val held = Reg(Bits(used bits)) init reset
    for (byte <- 0 until (used + 7) / 8) {
      val top = used.min(8 * byte + 8) - 1
      val lane = 8 * (byte % 4)
      when(writes(address + byte / 4 * 4) && port.writeStrobe(byte % 4)) {
        held(top downto 8 * byte) := port.writeData(lane + top - 8 * byte downto lane)
      }
    }
    readOnly(address, held.resize(bits bits))
    held
  }

  /** Connects the port; an address without a register reads `unmapped`. */
  def build(unmapped: BigInt): Unit = {
    port.readData := unmapped
    switch(port.readAddress) {
      for ((address, word) <- words) is(address)(port.readData := word)
    }
  }
}
