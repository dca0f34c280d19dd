package proofmill.engine

import spinal.core._
import spinal.lib._

/** Parses the command packets of an engine: an index, fields of 64 bits, and for some commands data.
  *
  * The engine's state machine has the states; in each of them it calls the action of this parser that belongs to it, and handles the command
  * when the parser has gone on to `next`:
  *
  * | state  | action         | next                                                                        |
  * |:-------|:---------------|:----------------------------------------------------------------------------|
  * | Index  | [[takeIndex]]  | when the first word is there, which is the command's index                  |
  * | Fields | [[takeFields]] | behind the last field: the last word, or the word before the command's data |
  * | Drain  | [[drain]]      | behind the data of an invalid command, which are discarded                  |
  *
  * An engine that takes its index under a condition calls [[loadIndex]] and [[shiftField]] itself.
  *
  * @param command words of packets, the packet's number above the 64 bits of each word
  * @param fields the largest number of fields of a command
  */
class CommandParser(command: Stream[Fragment[Bits]], fields: Int) extends Area {

  /** The current word, and its packet's number in the engine's `commands`; valid with `command`. */
  val word: Bits = command.fragment.takeLow(64)
  def number: Bits = command.fragment.dropLow(64)

  /** The index of the current command. */
  val index = Reg(Bits(64 bits))

  /** The fields; the last one of the packet is the highest. */
  val field = Vec.fill(fields)(Reg(UInt(64 bits)))

  def loadIndex(): Unit = index := word
  def shiftField(): Unit = for ((now, above) <- field.zip(field.tail :+ word.asUInt)) now := above

  def takeIndex(next: => Unit): Unit = {
    command.ready := True
    loadIndex()
    when(command.valid)(next)
  }

  /** @param hasData whether the command has data behind this word */
  def takeFields(hasData: Bool)(next: => Unit): Unit = {
    command.ready := True
    when(command.valid) {
      shiftField()
      when(command.last || hasData)(next)
    }
  }

  def drain(next: => Unit): Unit = {
    command.ready := True
    when(command.fire && command.last)(next)
  }
}
