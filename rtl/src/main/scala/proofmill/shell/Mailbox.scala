package proofmill.shell

import proofmill.spec.Spec
import proofmill.stream.Word
import spinal.core._
import spinal.lib._

/** A register interface for packets: the AXI-Stream FIFO registers of `spec/wire/shell.toml`, `[mailbox]`.
  *
  * Interrupt status bits are sticky and cleared by writing 1. "Receive complete" stays set while a packet waits, so no order
  * of reads and clears loses one. "Transmit complete" indicates that the packet was launched, after which it cannot fail.
  * Data and length registers are written as whole words; byte strobes are ignored. Resets do not affect the contents of the
  * FIFOs.
  */
case class Mailbox(depth: Int) extends Area {
  private val wire = Spec.table("wire/shell").getTable("mailbox")
  private def offset(name: String) = Spec.int(wire, name)

  private val transmit = MailboxTransmit(depth)
  private val receive = MailboxReceive(depth)
  val commands: Stream[Fragment[Word]] = transmit.output
  val replies: Stream[Fragment[Word]] = receive.input

  private object Bit {
    val readEmptyLength = 31
    val readEmpty = 29
    val overrun = 28
    val transmitComplete = 27
    val receiveComplete = 26
    val sizeError = 25
  }

  // The state of the published card after power-up: both resets complete, both programmable-empty flags set.
  private val atPowerUp = BigInt("01D00000", 16)

  def connect(map: RegisterMap, port: AxiLitePort, base: Int): Unit = {
    def at(name: String) = base + offset(name)

    transmit.word.valid := map.writes(at("tdfd"))
    transmit.word.payload := port.writeData
    transmit.launch.valid := map.writes(at("tlr"))
    transmit.launch.payload := port.writeData
    receive.take := map.reads(at("rdfd"))

    val status = Reg(Bits(32 bits)) init atPowerUp
    val enable = Reg(Bits(32 bits)) init 0
    when(map.writes(at("isr")))(status := status & ~port.writeData)
    when(map.writes(at("ier")))(enable := port.writeData)
    val none = receive.length === 0
    for (
      (bit, event) <- Seq(
        Bit.readEmptyLength -> (map.reads(at("rlr")) && none),
        Bit.readEmpty -> (receive.take && none),
        Bit.overrun -> transmit.overrun,
        Bit.transmitComplete -> transmit.launched,
        Bit.receiveComplete -> (receive.waiting =/= 0),
        Bit.sizeError -> transmit.sizeError
      )
    ) when(event)(status(bit) := True)

    map.readOnly(at("isr"), status)
    map.readOnly(at("ier"), enable)
    map.readOnly(at("tdfv"), transmit.vacancy.asBits.resize(32 bits))
    map.readOnly(at("rdfo"), receive.waiting.asBits.resize(32 bits))
    map.readOnly(at("rdfd"), receive.word)
    map.readOnly(at("rlr"), receive.length.asBits.resize(32 bits))
    map.constant(at("axi4_mode"), 0)
  }
}
