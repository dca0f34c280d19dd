package proofmill.shell

import spinal.core._
import spinal.lib._

/** Beats of 64 bytes to the beats that go to memory: as they are, or, when `packed`, cut into slices of 48 bytes, each of which begins a beat
  * whose other 16 bytes are zero. Four slices come of three beats:
  * {{{
  *   beat    |      0      |      1      |      2      |
  *   slice   |    0    |    1    |    2    |    3    |
  * }}}
  * `packed` is steady from `clear` to `clear`, which begins anew.
  */
class SliceUnpacker extends Component {
  val packed, clear = in(Bool())
  val beats = slave(Stream(Bits(512 bits)))
  val slices = master(Stream(Bits(512 bits)))

  private val wide = SliceUnpacker.wide * 8
  private val step = 512 - wide // bits that a slice leaves of its beat

  /** Which slice of four, and what is left of the beat before. */
  val number = Reg(UInt(2 bits)) init 0
  val rest = Reg(Bits(wide bits))
  private val candidates = Seq.tabulate(4) { i =>
    if (i == 0) beats.payload.takeLow(wide) else (beats.payload ## rest.takeLow(step * i)).takeLow(wide)
  }
  private val alone = packed && number === 3 // the last slice is all in `rest`
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
