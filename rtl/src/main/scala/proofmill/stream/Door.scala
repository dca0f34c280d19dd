package proofmill.stream

import spinal.core._
import spinal.lib._

/** What stands between a card's streams and its packets, where the streams carry another format: every command packet that it makes is
  * answered by a reply.
  */
abstract class Door extends Component {
  val rx = slave(Word.packets)
  val tx = master(Word.packets)
  val commands = master(Word.packets)
  val replies = slave(Word.packets)
}
