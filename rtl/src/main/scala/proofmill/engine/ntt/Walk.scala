package proofmill.engine.ntt

import spinal.core._
import spinal.lib._

object PassKind extends SpinalEnum {
  val Whole, First, Last, Middle = newElement()

  /** In the order of `Arrangement.Kind`: the middle one of three goes through the circuit like a last one. */
  def number(kind: SpinalEnumCraft[PassKind.type]): UInt =
    kind.mux(Whole -> U(0, 2 bits), First -> U(1), Last -> U(2), Middle -> U(2))
}

/** What is to be done in a pass. */
case class Pass(config: NttConfig) extends Bundle {
  val kind = PassKind()
  val b = UInt(config.sizeBits bits) // a column has 2^(coreBits + b) elements
  val other = UInt((if (config.hasThree) 5 else 4) bits) // of all but Whole: 2^other columns
  val three = config.hasThree generate Bool() // whether it is one of three
  val inner = config.hasThree generate UInt(
    4 bits
  ) // of these: the lowest bits of a column's number, which are of a result of the first pass
  val tiles = UInt(config.memoryBits - 6 bits) // of Whole: transforms, or beats of more than one
  val source, target = UInt(config.memoryBits - 6 bits) // beats of a channel
}

/** The order of a pass's beats in the memory: a step is a beat.
  *
  * A tile's time is a row of the matrix with its lower `coreBits` bits as the highest ones, as the cores' transposers take and leave them.
  *
  * @param written whether it is the order in which they are written
  */
class Walk(config: NttConfig, written: Boolean) extends Component {
  import config.laneBits
  private val tileBits = config.memoryBits - 6
  val io = new Bundle {
    val pass = in(Pass(config)) // steady
    val start = in(Bool()) // begins anew
    val next = in(Bool())
    val done = out(Bool()) // all have been passed
    val isLast = out(Bool())
    val beat = out(UInt(tileBits bits)) // of the pass's memory
    val place = out(Place(config))
  }
  private val core = config.coreBits
  private val whole = io.pass.kind === PassKind.Whole
  private val lanesOut = whole || (if (written) io.pass.kind === PassKind.First else False) // of a result's lowest bits

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

  // Behind the first one of three passes a tile is one of the second result or of the third index, and in it one of first results.
  private val middle = io.pass.kind === PassKind.Middle
  private val inner = if (config.hasThree) io.pass.inner - laneBits else U(0)
  private val firsts = RegNext(Shuffle.below(inner).resize(tileBits))
  private val upper = tile |>> RegNext(inner)
  private val (apart, lying) =
    if (config.hasThree && written)
      (
        RegNext(middle ? inner.resize(5) | (io.pass.other - laneBits)),
        middle ? (((tile & ~firsts) |<< columnBits) | (tile & firsts)) | tile
      )
    else (RegNext(io.pass.other - laneBits), tile)
  private val matrix = (row.resize(tileBits) |<< apart) | lying
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
      // In front of the second pass the third index is part of the higher one; in front of the third, the second result is the lower one.
      val third = RegNext(io.pass.other - io.pass.inner)
      val index = (row.resize(config.restBits) |<< third) | upper.resize(config.restBits)
      when(middle)(io.place.high := index.resized)
      when(io.pass.three)(io.place.low := (middle ? (tile & firsts) | upper).resize(config.lowBits))
    }
  }
}

/** A walk whose present step stands in registers: what is added to it, or chosen by it, has a whole cycle. */
class Track(config: NttConfig, written: Boolean) extends Component {
  val io = new Bundle {
    val pass = in(Pass(config)) // steady
    val start = in(Bool()) // begins anew
    val next = in(Bool()) // only while it is there
    val there = out(Bool()) // a step is, from the second cycle after `start` until all have been passed
    val done = out(Bool()) // all have been passed
    val isLast = out(Bool())
    val beat = out(UInt(config.memoryBits - 6 bits))
    val place = out(Place(config))
  }
  val walk = new Walk(config, written)
  val there = RegInit(False)
  private val moves = !walk.io.done && (!there || io.next)
  there := !io.start && (moves || there && !io.next)
  walk.io.pass := io.pass
  walk.io.start := io.start
  walk.io.next := moves
  io.there := there
  io.done := walk.io.done && !there
  io.isLast := RegNextWhen(walk.io.isLast, moves)
  io.beat := RegNextWhen(walk.io.beat, moves)
  io.place := RegNextWhen(walk.io.place, moves)
}
