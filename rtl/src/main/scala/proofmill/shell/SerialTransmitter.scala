package proofmill.shell

import spinal.core._
import spinal.lib._

/** Sends packets on a serial line, byte by byte without pauses; of a word only the bytes marked by `keep`. */
case class SerialTransmitter(config: SerialConfig) extends Component {
  val packets = slave(proofmill.stream.Word.packets) // words to send, first byte lowest; ready when no byte remains
  val txd = out(RegInit(True)) // the serial line, registered; idle high

  val phase = Reg(UInt(config.phaseBits bits))
  val sum = phase +^ U(config.step, config.phaseBits bits)
  val tick = sum.msb

  // The word, its next byte lowest.
  val data = Reg(Bits(64 bits))
  val keep = RegInit(B(0, 8 bits))
  packets.ready := !keep(0)
  when(packets.fire) {
    data := packets.fragment.data
    keep := packets.fragment.keep
  }

  // The remaining bits of the byte with the stop bit above them; the byte ends when only the stop bit remains.
  val shift = RegInit(B(0, 9 bits))
  val sending = RegInit(False)
  phase := sending ? sum.resize(config.phaseBits) | U(0)
  when(!sending || (tick && shift === 0)) {
    txd := True
    sending := keep(0)
    when(keep(0)) {
      txd := False
      shift := True ## data(7 downto 0)
      data := data |>> 8
      keep := keep |>> 1
    }
  } elsewhen (tick) {
    txd := shift(0)
    shift := shift |>> 1
  }
}
