package proofmill.engine

import spinal.core._
import spinal.lib._

/** Parses the command packets of an engine: an index, fields of 64 bits, and for some commands data.
  *
  * The engine's state machine has the states. In each of them it calls the corresponding action of this parser, and handles
  * the command when the parser calls `next`:
  *
  * | state  | action         | `next` is called                                                             |
  * |:-------|:---------------|:-----------------------------------------------------------------------------|
  * | Index  | [[takeIndex]]  | when the first word is valid, which is the command's index                   |
  * | Fields | [[takeFields]] | after the last field: the last word, or the word before the command's data   |
  * | Drain  | [[drain]]      | after the data of an invalid command, which are discarded                    |
  *
  * An engine that accepts its index under a condition calls [[loadIndex]] and [[shiftField]] itself.
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

  /** @param hasData whether the command has data after this word */
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
