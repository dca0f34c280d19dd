package proofmill.shell

import spinal.core._
import spinal.lib._

/** Converts beats of 64 bytes to beats of the memory: unchanged, or, when `packed`, cut into slices of 48 bytes. Each slice
  * begins a beat whose other 16 bytes are zero. Three beats give four slices:
  * {{{
  *   beat    |      0      |      1      |      2      |
  *   slice   |    0    |    1    |    2    |    3    |
  * }}}
  * `packed` is steady between two pulses of `clear`, which restarts the unpacker.
  */
class SliceUnpacker extends Component {
  val packed, clear = in(Bool()) // level: beats consist of slices; pulse: restarts the unpacker
  val beats = slave(Stream(Bits(512 bits))) // beats of 64 bytes
  val slices = master(Stream(Bits(512 bits))) // beats of the memory: 64 bytes, or a slice of 48 bytes with zeros above

  private val wide = SliceUnpacker.wide * 8
  private val step = 512 - wide // bits of a beat that its slice does not use

  /** Index of the slice of four, and the remaining bits of the beat before. */
  val number = Reg(UInt(2 bits)) init 0
  val rest = Reg(Bits(wide bits))
  private val candidates = Seq.tabulate(4) { i =>
    if (i == 0) beats.payload.takeLow(wide) else (beats.payload ## rest.takeLow(step * i)).takeLow(wide)
  }
  private val alone = packed && number === 3 // the last slice is completely in `rest`
  slices.valid := alone || beats.valid
  slices.payload := packed ? Vec(candidates)(number).resize(512 bits) | beats.payload
  beats.ready := slices.ready && !alone
  when(slices.fire && packed)(number := number + 1)
  when(beats.fire)(rest := Vec(Seq.tabulate(4)(i => beats.payload.dropLow(wide - step * i).resize(wide bits)))(number))
  when(clear)(number := 0)
}

object SliceUnpacker {

  /** Bytes of a packed slice. */
  val wide = 48
}
