package proofmill.engine.ntt

import proofmill.arith.Lag
import spinal.core._
import spinal.lib._

/** Columns of a field whose elements have 32 bytes, in steps of radix 4, of which the first one is of radix 2 where a column has 2^k elements for
  * an odd k.
  *
  * {{{
  *   before ─►[exchange]─► RadixFour ─►[exchange]─► RadixFour ─► … ─►[exchange]─► RadixFour ─► after
  * }}}
  * `before` brings the two highest bits of a column's index to the lanes, and columns one after the other. An exchange has the next two bits
  * change places with results' bits; so results come in reversed order, which `after` undoes. Of small columns the first steps do nothing.
  */
class Steps(config: NttConfig, residues: LongResidues) extends Columns(config, residues) {
  import config.{laneBits, passLog}
  private val sizes = config.leastLog to passLog
  val before = shuffle(sizes, Steps.blocks)(Steps.before)
  val after = shuffle(sizes, Steps.blocks)(Steps.after)
  private val tileBits = RegNext(whole ? ((pass.b > laneBits) ? (pass.b - laneBits) | U(0)) | pass.b)
  io.entryBits := tileBits
  before.io.claim := io.claim
  io.room := before.io.room
  before.io.input << io.input
  before.io.next := tileBits
  before.io.nextRoom := after.io.room
  after.io.claim := before.io.nextClaim

  private val count = passLog / 2
  private val leaving = (count - 1 to 0 by -1).foldLeft(before.io.output: Flow[Beat]) { (flow, r) =>
    // Each lane bit with its bit of the time, if the column has that bit behind its first step.
    val exchanged = Seq(1, 0).foldLeft(flow) { (flow, lane) =>
      val bit = 2 * r + lane
      if (bit > passLog - 3) flow
      else chosen(pass.b > bit + 2, Steps.exchange(flow, counted(flow.valid), lane, bit), flow)
    }
    chosen(pass.b > 2 * r, step(exchanged, r), exchanged)
  }
  after.io.input << leaving
  after.io.next := 0
  after.io.nextRoom := io.nextRoom
  io.nextClaim := after.io.nextClaim
  io.output << after.io.output

  private def chosen(does: Bool, one: Flow[Beat], other: Flow[Beat]): Flow[Beat] = {
    val steady = RegNext(does)
    val made = cloneOf(one)
    made.valid := RegNext(steady ? one.valid | other.valid) init False
    made.payload := RegNext(steady ? one.payload | other.payload)
    made
  }

  private def step(flow: Flow[Beat], r: Int): Flow[Beat] = {
    val unit = new RadixFour(residues, r)
    unit.io.two := RegNext(pass.b === 2 * r + 1)
    unit.io.inverse := io.job.inverse
    unit.io.time := counted(flow.valid)
    unit.io.points := Vec(flow.lanes.map(_.asSInt))
    val made = cloneOf(flow)
    made.valid := Delay(flow.valid, unit.latency, init = False)
    made.lanes := Vec(unit.io.results.map(_.asBits))
    made
  }
}

object Steps {

  /** A lane's bit changes places with a bit of the time, 2^bit cycles later; 2^(bit + 1) beats come in consecutive cycles. */
  def exchange(flow: Flow[Beat], time: UInt, lane: Int, bit: Int): Flow[Beat] = {
    val wait = 1 << bit
    val crossed = flow.valid && time(bit)
    val made = cloneOf(flow)
    made.valid := Delay(flow.valid, wait, init = False)
    for (low <- flow.lanes.indices if (low >> lane & 1) == 0) {
      val high = low | 1 << lane
      val late = Lag(flow.lanes(high), wait)
      made.lanes(low) := Lag(crossed ? late | flow.lanes(low), wait)
      made.lanes(high) := crossed ? flow.lanes(low) | late
    }
    made
  }

  /** Tiles of a shuffle: one comes, one leaves, and two are on their way. */
  private val blocks = 4

  /** Bits of a column's index or of its result by name, and those of a column's number in a tile; of two elements, that of a transform's number. */
  private def named(letter: String, bits: Range): Seq[String] = bits.map(i => s"$letter$i")
  private def columns(kind: Arrangement.Kind.Value, laneBits: Int, k: Int): Seq[String] =
    if (kind != Arrangement.Kind.Whole) named("c", 0 until laneBits) else named("c", k until laneBits)

  /** In front of the first step: the two highest bits in the lanes, the highest one higher, but alone where the first step is of radix 2. */
  private def before(laneBits: Int, kind: Arrangement.Kind.Value, k: Int): Arrangement = {
    val (a, c) = (named("a", 0 until k), columns(kind, laneBits, k))
    val top = if (k % 2 == 0) a.takeRight(2) else a.takeRight(2).reverse
    Arrangement(if (k < laneBits) a ++ c else c ++ a, top ++ a.dropRight(2) ++ c)
  }

  /** Behind the last one. */
  private def after(laneBits: Int, kind: Arrangement.Kind.Value, k: Int): Arrangement = {
    val (o, c) = (named("o", 0 until k), columns(kind, laneBits, k))
    Arrangement(o.reverse ++ c, if (kind == Arrangement.Kind.Last && k >= laneBits) c ++ o else o ++ c)
  }
}
