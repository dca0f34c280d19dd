package proofmill.shell

import proofmill.stream.Word
import spinal.core._
import spinal.lib._

/** A word with the comparisons that the framer needs: all bytes are present (`full`), it is a whole `reset` or `status` packet, it is the header of
  * each engine's command (`opens`), and it has as many bytes as that command's last word (`closes`).
  */
case class MarkedWord(engines: Int) extends Bundle {
  val word = Word()
  val full, reset, status = Bool()
  val opens, closes = Bits(engines bits)
}

object MarkedWord {

  /** Compares a word with the headers and lengths of the engines' commands. */
  def of(engines: Seq[EngineCommand])(beat: Fragment[Word]): Fragment[MarkedWord] = {
    val marked = Fragment(MarkedWord(engines.size))
    val (data, keep) = (beat.fragment.data, beat.fragment.keep)
    val full = keep.andR
    marked.last := beat.last
    marked.fragment.word := beat.fragment
    marked.fragment.full := full
    marked.fragment.reset := full && data === Control.reset
    marked.fragment.status := full && data === Control.status
    for ((engine, i) <- engines.zipWithIndex) {
      marked.fragment.opens(i) := full && !beat.last && data === engine.header
      marked.fragment.closes(i) := keep === Word.keepOf(engine.bytes)
    }
    marked
  }
}
