package proofmill.shell

import proofmill.engine.Engine
import proofmill.spec.Spec
import proofmill.stream.Beat
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi._

/** The rings of slots between a host and a card without a DMA bridge: `spec/wire/slot_rings.toml`. */
object SlotRings {
  private val wire = Spec.table("wire/slot_rings")

  /** Bytes of a line, which is a beat of PCIS, of PCIM and of the streams. */
  val bytes = 64

  val streams = 2
  def packets: Stream[Fragment[Beat]] = card.packets

  /** A part of an address space: slot k of stream s is at `base + s * stride + k * slot`. */
  case class Region(base: Int, stride: Int, slot: Int)
  private val space = wire.getTable("room")
  private def region(name: String): Region = {
    val table = space.getTable(name)
    Region(Spec.int(table, "base"), Spec.int(table, "stride"), Spec.int(table, "slot"))
  }
  val roomBytes: Int = Spec.int(space, "bytes")
  val mostSlots: Int = Spec.int(space, "most_slots")
  val descriptors: Region = region("descriptors")
  val pages: Region = region("pages")

  /** Lines of a page. */
  val lines: Int = pages.slot / bytes

  /** The card's address space for writes of the host: bytes of a line, bytes of a session's space, and the positions of
    * slots.
    */
  case class AddressSpace(bytes: Int, all: Int, descriptors: Region, pages: Region) {
    val lines: Int = pages.slot / bytes
    def packets: Stream[Fragment[Beat]] = Stream(Fragment(Beat(bytes)))
    val pcis: Axi4Config = Engine.bus(addressBits = 64, dataBits = 8 * bytes, idBits = 16)
  }
  val card: AddressSpace = AddressSpace(bytes, roomBytes, descriptors, pages)

  /** Returns a field of a descriptor: first bit and width. */
  private def place(name: String): (Int, Int) = {
    val table = wire.getTable("descriptor").getTable(name)
    (8 * Spec.int(table, "offset"), 8 * Spec.int(table, "bytes"))
  }
  case class Descriptor() extends Bundle {
    val session, number, bytes, last = UInt(16 bits)
    private def fields = Seq("session" -> session, "number" -> number, "bytes" -> bytes, "last" -> last)
    def read(word: Bits): Unit =
      for ((name, field) <- fields; (at, width) = place(name)) field := word(at, width bits).asUInt
    def written: Bits = {
      val word = Bits(64 bits)
      for ((name, field) <- fields; (at, width) = place(name)) word(at, width bits) := field.asBits
      word
    }
  }

  private val registers = wire.getTable("registers")
  val firstRegister: Int = Spec.int(registers, "base")

  /** Returns the address of a register, of stream s if each stream has one. */
  def register(name: String, s: Int = 0): Int = {
    val table = registers.getTable(name)
    firstRegister + Spec.int(table, "offset") + (if (s == 0) 0 else s * Spec.int(table, "stride"))
  }
  def value(name: String): BigInt = Spec.big(registers.getTable(name), "value")

  /** Returns the bits of `state`, by name. */
  def state(bits: (String, Bool)*): Bits = {
    val table = wire.getTable("state")
    bits.map { case (name, bit) => bit ? B(Spec.big(table, name), 32 bits) | B(0, 32 bits) }.reduce(_ | _)
  }

  /** Writes of the host. */
  val pcis: Axi4Config = card.pcis

  /** Writes of the card. */
  val pcim: Axi4Config = Engine.bus(addressBits = 64, dataBits = 8 * bytes)
}
