package proofmill.engine.ntt

import spinal.core._
import spinal.lib._

object PassKind extends SpinalEnum {
  val Whole, First, Last, Middle = newElement()

  /** Returns the number of a kind in `Arrangement.Kind`; the middle pass of three is arranged like the last one. */
  def number(kind: SpinalEnumCraft[PassKind.type]): UInt =
    kind.mux(Whole -> U(0, 2 bits), First -> U(1), Last -> U(2), Middle -> U(2))
}

/** The parameters of a pass. */
case class Pass(config: NttConfig) extends Bundle {
  val kind = PassKind()
  val b = UInt(config.sizeBits bits) // a column has 2^(coreBits + b) elements
  val other = UInt((if (config.hasThree) 5 else 4) bits) // 2^other columns; not valid for Whole
  val three = config.hasThree generate Bool() // whether the pass is one of three
  val inner = config.hasThree generate UInt(
    4 bits
  ) // of three passes: number of the column index's lowest bits that index a result of the first pass
  val tiles = UInt(config.memoryBits - 6 bits) // Whole only: transforms, or beats of several short ones
  val source, target = UInt(config.memoryBits - 6 bits) // beat addresses in a channel
}

/** Generates the addresses of a pass's beats, in the order in which they are read or written.
  *
  * The beat number within a tile is a row of the matrix with its lower `coreBits` bits rotated to the top, as the cores' transposers expect them.
  *
  * @param written whether the order is that of writes
  */
class AddressGenerator(config: NttConfig, written: Boolean) extends Component {
  import config.laneBits
  private val tileBits = config.memoryBits - 6
  val io = new Bundle {

    /** The pass; steady. */
    val pass = in(Pass(config))
    val start = in(Bool()) // pulse: begins the pass
    val next = in(Bool()) // pulse: advances by a beat

    /** Level: all beats were generated. */
    val done = out(Bool())

    /** Level: the current beat is the last one. */
    val isLast = out(Bool())
    val beat = out(UInt(tileBits bits)) // number of the current beat, relative to the pass's `source` or `target`
    val place = out(Place(config)) // its place in the transform
  }
  private val core = config.coreBits
  private val whole = io.pass.kind === PassKind.Whole
  private val lanesOut =
    whole || (if (written) io.pass.kind === PassKind.First else False) // the lanes have the result's lowest bits

  val time = Reg(UInt(NttConfig.passBits bits)) init 0
  val tile = Reg(UInt(tileBits bits)) init 0
  val done = RegInit(True)
  private val columnBits = (io.pass.b +^ U(core, 4 bits)).resize(4)
  private def without(lanes: Bool) =
    lanes ? ((columnBits > laneBits) ? (columnBits - laneBits) | U(0, 4 bits)) | columnBits
  private val timeBits = without(whole)
  private val rowBits = RegNext(without(lanesOut))
  private val last = RegNext(Shuffle.below(timeBits).resize(NttConfig.passBits))
  private val rows = RegNext(Shuffle.below(without(lanesOut)).resize(NttConfig.passBits))
  private val lastTile = RegNext(io.pass.tiles - 1)
  when(io.next) {
    time := time + 1
    when(time === last) {
      time := 0
      tile := tile + 1
      when(tile === lastTile)(done := True)
    }
  }
  when(io.start) {
    time := 0
    tile := 0
    done := False
  }
  io.done := done
  io.isLast := time === last && tile === lastTile

  private val within = time & rows
  private val row = if (core == 0) within
  else {
    val above =
      RegNext(lanesOut ? ((io.pass.b >= laneBits) ? (io.pass.b - laneBits).resize(3) | U(0, 3 bits)) | io.pass.b)
    val straight = RegNext(lanesOut && io.pass.b < laneBits)
    val turned =
      (within.take(core).asUInt.resize(NttConfig.passBits) |<< above) | (within >> core).resize(NttConfig.passBits)
    straight ? within | turned
  }
  private val column = (time >> rowBits).resize(laneBits)

  // After the first of three passes, a tile has one value of the second result or of the third index, and within it all first results of the tile.
  private val middle = io.pass.kind === PassKind.Middle
  private val inner = if (config.hasThree) io.pass.inner - laneBits else U(0)
  private val firsts = RegNext(Shuffle.below(inner).resize(tileBits))
  private val upper = tile |>> RegNext(inner)
  private val (rowShift, lying) =
    if (config.hasThree && written)
      (
        RegNext(middle ? inner.resize(5) | (io.pass.other - laneBits)),
        middle ? (((tile & ~firsts) |<< columnBits) | (tile & firsts)) | tile
      )
    else (RegNext(io.pass.other - laneBits), tile)
  private val matrix = (row.resize(tileBits) |<< rowShift) | lying
  private val wholeBeat = (tile |<< rowBits) | row.resize(tileBits)
  private val across = (((tile @@ column).resize(tileBits)) |<< rowBits) | row.resize(tileBits)
  private val isWhole = RegNext(whole)
  private val first = if (written) RegNext(io.pass.kind === PassKind.First) else False
  io.beat := isWhole ? wholeBeat | (if (written) first ? across | matrix else matrix)

  io.place.beat := (isWhole ? row.resize(tileBits) | io.beat).resize(config.beatBits)
  io.place.high := first ? (tile @@ column).resize(io.place.high.getWidth) | row.resize(io.place.high.getWidth)
  io.place.low := (first ? row.resize(tileBits) | tile).resize(config.lowBits)
  if (config.hasThree) {
    if (written) when(middle)(io.place.low := upper.resize(config.lowBits))
    else {
      // Before the second pass the third index is part of the upper index; before the third, the second result is the lower one.
      val third = RegNext(io.pass.other - io.pass.inner)
      val index = (row.resize(config.restBits) |<< third) | upper.resize(config.restBits)
      when(middle)(io.place.high := index.resized)
      when(io.pass.three)(io.place.low := (middle ? (tile & firsts) | upper).resize(config.lowBits))
    }
  }
}

/** An [[AddressGenerator]] with an output register, so that logic behind it has a full cycle. */
class AddressRegister(config: NttConfig, written: Boolean) extends Component {
  val io = new Bundle {

    /** The pass; steady. */
    val pass = in(Pass(config))
    val start = in(Bool()) // pulse: begins the pass
    val next = in(Bool()) // pulse, only while `valid`: consumes the beat

    /** Level: there is a beat, from the second cycle after `start` until all were consumed. */
    val valid = out(Bool())
    val done = out(Bool()) // level: all beats were consumed

    /** Level, valid with `valid`: the current beat is the last one. */
    val isLast = out(Bool())
    val beat = out(UInt(config.memoryBits - 6 bits)) // as in [[AddressGenerator]], valid with `valid`
    val place = out(Place(config)) // as in [[AddressGenerator]], valid with `valid`
  }
  val generator = new AddressGenerator(config, written)
  val valid = RegInit(False)
  private val advance = !generator.io.done && (!valid || io.next)
  valid := !io.start && (advance || valid && !io.next)
  generator.io.pass := io.pass
  generator.io.start := io.start
  generator.io.next := advance
  io.valid := valid
  io.done := generator.io.done && !valid
  io.isLast := RegNextWhen(generator.io.isLast, advance)
  io.beat := RegNextWhen(generator.io.beat, advance)
  io.place := RegNextWhen(generator.io.place, advance)
}
