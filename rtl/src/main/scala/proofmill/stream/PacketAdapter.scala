package proofmill.stream

import spinal.core._
import spinal.lib._

/** Converts between streams of another format and packets. Each command packet has one reply.
  *
  * `rx`, `tx`: the card's streams. `commands`, `replies`: packets.
  */
abstract class PacketAdapter extends Component {
  val rx = slave(Word.packets)
  val tx = master(Word.packets)
  val commands = master(Word.packets)
  val replies = slave(Word.packets)
}
