package proofmill.shell

import proofmill.engine.Engine
import proofmill.stream.PacketAdapter

/** One engine of a card: its operation, its instance, and its constructor. */
case class EngineSlot(op: String, instance: String, build: () => Engine)

/** Configuration of the shell.
  *
  * @param version      0x00MMmmpp
  * @param buildDate    up to 8 ASCII characters, in the STATUS reply; never taken from a clock
  * @param buildHost    likewise
  * @param commandWords depth of each engine's command queue in 64-bit words
  * @param replyWords   least depth of an engine's reply queue in 64-bit words
  * @param resetCycles  minimum number of cycles of the engines' reset
  * @param mailbox      commands and replies pass through registers instead of the streams
  * @param adapter      converts between packets and another format of the streams; none: the streams carry packets
  * @param memoryPort   the host reads and writes the card's memory through streams of 512 bits
  */
case class ShellConfig(
    version: Int = 0x000100,
    buildDate: String = "20261121",
    buildHost: String = "sim",
    commandWords: Int = Engine.queueWords,
    replyWords: Int = 16,
    resetCycles: Int = 16,
    mailbox: Boolean = false,
    adapter: Option[() => PacketAdapter] = None,
    memoryPort: Boolean = false
) {
  require(!mailbox || adapter.isEmpty, "mailbox: an adapter of the streams would be unused")
  for ((what, text) <- Seq("buildDate" -> buildDate, "buildHost" -> buildHost))
    require(
      text.length <= 8 && text.forall(c => c > ' ' && c < 127),
      s"$what \"$text\": at most 8 printable characters"
    )

  /** Returns the characters in the format of the STATUS reply: last one first, zero padded. */
  def characters(text: String): BigInt = text.foldLeft(BigInt(0))((number, c) => (number << 8) | c.toInt)
}
