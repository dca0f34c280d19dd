package proofmill.shell

import spinal.core._
import spinal.lib._

import scala.collection.mutable

/** Collects what stands at which byte address of the door, then builds the read multiplexer once. */
class RegisterMap(door: AxiLiteDoor) {
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

  /** This address is read in this cycle. */
  def reads(address: Int): Bool = door.read && door.readAddress === address

  /** This address is written in this cycle. */
  def writes(address: Int): Bool = door.write && door.writeAddress === address

  def constant(address: Int, value: BigInt, bits: Int = 32): Unit =
    for (i <- 0 until (bits + 31) / 32) place(address + 4 * i, B((value >> 32 * i) & 0xffffffffL, 32 bits))

  def readOnly(address: Int, value: Bits): Unit =
    for ((word, i) <- wordsOf(value).zipWithIndex) place(address + 4 * i, word)

  /** A 64-bit count: reading the low word keeps the high one for the read after. */
  def counter(address: Int, count: Bits): Unit = {
    val Seq(low, high) = wordsOf(count.resize(64 bits))
    place(address, low)
    place(address + 4, RegNextWhen(high, reads(address)))
  }

  /** A register of `bits` that the host writes, byte strobes honoured; it holds the lowest `used`, the others read 0. */
  def readWrite(address: Int, bits: Int, used: Int, reset: BigInt): Bits = {
    val held = Reg(Bits(used bits)) init reset
    for (byte <- 0 until (used + 7) / 8) {
      val top = used.min(8 * byte + 8) - 1
      val lane = 8 * (byte % 4)
      when(writes(address + byte / 4 * 4) && door.writeStrobe(byte % 4)) {
        held(top downto 8 * byte) := door.writeData(lane + top - 8 * byte downto lane)
      }
    }
    readOnly(address, held.resize(bits bits))
    held
  }

  /** Connects the door; every address without a register reads `unmapped`. */
  def build(unmapped: BigInt): Unit = {
    door.readData := unmapped
    switch(door.readAddress) {
      for ((address, word) <- words) is(address)(door.readData := word)
    }
  }
}
