package proofmill.stream

import spinal.core._
import spinal.lib._

/** One 64-bit beat of a packet: first byte in bits 7..0; `keep` marks the valid bytes, from byte 0 without gaps. */
case class Word() extends Bundle {
  val data = Bits(64 bits)
  val keep = Bits(8 bits)
}

object Word {

  /** Packets, beat by beat; `last` ends one. */
  def packets: Stream[Fragment[Word]] = Stream(Fragment(Word()))

  /** Packets whose length both sides know, so that no `keep` is needed. */
  def payload: Stream[Fragment[Bits]] = payloads(kinds = 1)

  /** Such packets of several kinds: the packet's kind is above the 64 bits of each word. */
  def payloads(kinds: Int): Stream[Fragment[Bits]] = Stream(Fragment(Bits(64 + log2Up(kinds) bits)))

  /** Returns `keep` of a last word with `bytes` bytes. */
  def keepOf(bytes: Int): BigInt = (BigInt(1) << (if (bytes % 8 == 0) 8 else bytes % 8)) - 1
}
