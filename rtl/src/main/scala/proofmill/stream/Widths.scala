package proofmill.stream

import spinal.core._
import spinal.lib._

/** A beat of a stream of packets that is `bytes` wide; `keep` marks the valid bytes, from byte 0 without gaps. */
case class Beat(bytes: Int) extends Bundle {
  val data = Bits(8 * bytes bits)
  val keep = Bits(bytes bits)
}

/** Converts packets from wide beats, such as a DMA bridge's, to words; a beat without valid bytes becomes a word without
  * valid bytes.
  */
class Narrower(bytes: Int) extends Component {
  private val words = bytes / 8
  val wide = slave(Stream(Fragment(Beat(bytes)))) // packets in wide beats; a beat is accepted with its last word
  val narrow = master(Word.packets) // the same packets in words

  val at = Reg(UInt(log2Up(words) bits)) init 0
  private val keeps = wide.keep.subdivideIn(words slices)
  private val rest =
    Vec((0 until words).map(i => if (i + 1 < words) keeps(i + 1)(0) else False)) // valid bytes after word i
  narrow.valid := wide.valid
  narrow.fragment.data := wide.data.subdivideIn(words slices)(at)
  narrow.fragment.keep := keeps(at)
  narrow.last := wide.last && !rest(at)
  wide.ready := narrow.ready && !rest(at)
  when(narrow.fire)(at := rest(at) ? (at + 1) | U(0))
}

/** Converts packets from words to wide beats: a beat is full, or ends a packet. */
class Widener(bytes: Int) extends Component {
  private val words = bytes / 8
  val narrow = slave(Word.packets) // packets in words
  val wide = master(Stream(Fragment(Beat(bytes)))) // the same packets in wide beats; registered

  val at = Reg(UInt(log2Up(words) bits)) init 0
  val data = Vec(Reg(Bits(64 bits)), words)
  val keep = Vec(Reg(Bits(8 bits)) init 0, words)
  val whole, last = RegInit(False)
  narrow.ready := !whole || wide.ready
  wide.valid := whole
  wide.data := data.asBits
  wide.keep := keep.asBits
  wide.last := last
  when(wide.fire) {
    whole := False
    keep.foreach(_ := 0)
  }
  when(narrow.fire) {
    data(at) := narrow.fragment.data
    keep(at) := narrow.fragment.keep
    last := narrow.last
    at := at + 1
    when(narrow.last)(at := 0)
    when(narrow.last || at === words - 1)(whole := True)
  }
}
