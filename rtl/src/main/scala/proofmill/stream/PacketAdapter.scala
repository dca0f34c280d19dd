package proofmill.stream

import spinal.core._
import spinal.lib._

/** Converts between streams of another format and packets. Each command packet has one reply.
  *
  * `rx`, `tx`: the card's streams. `commands`, `replies`: packets.
  */
abstract class PacketAdapter extends Component {
  val rx = slave(Word.packets) // the card's input stream, in the other format
  val tx = master(Word.packets) // the card's output stream, in the other format
  val commands = master(Word.packets) // command packets, for the shell
  val replies = slave(Word.packets) // reply packets of the shell
}
