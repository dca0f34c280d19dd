package proofmill.shell

import proofmill.stream.Word
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite.AxiLite4

/** Packets and registers of a card over a serial line.
  *
  * {{{
  *   rxd --> SerialReceiver --> SerialFramer --> queue --> RegisterPackets --> commands
  *   txd <-- SerialTransmitter <-------------------------- RegisterPackets <-- replies
  *                                                          +--> axi
  * }}}
  */
case class SerialPort(config: SerialConfig, longest: Int) extends Component {
  val rxd = in(Bool()) // the serial line from the host, asynchronous; idle high
  val txd = out(Bool()) // the serial line to the host, idle high
  val commands = master(Word.packets) // packets from the host, for the shell
  val replies = slave(Word.packets) // packets of the shell, for the host
  val axi = master(AxiLite4(Shell.addressBits, 32)) // the shell's register bus, for register packets

  val receiver = SerialReceiver(config)
  val framer = SerialFramer(longest max RegisterPackets.longest)
  val registers = RegisterPackets()
  val transmitter = SerialTransmitter(config)

  receiver.rxd := rxd
  framer.byte << receiver.byte
  framer.broken := receiver.broken
  framer.quiet := receiver.quiet
  registers.rx << framer.packets.queue(config.queueWords)
  commands << registers.commands
  registers.replies << replies
  axi << registers.axi
  transmitter.packets << registers.tx
  txd := transmitter.txd
}
