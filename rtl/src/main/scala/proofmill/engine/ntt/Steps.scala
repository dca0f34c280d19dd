package proofmill.engine.ntt

import proofmill.arith.Lag
import spinal.core._
import spinal.lib._

/** The columns of a field with elements of 32 bytes, in steps of radix 4. The first step has radix 2 if a column has 2^k
  * elements for an odd k.
  *
  * {{{
  *   before ─►[exchange]─► RadixFour ─►[exchange]─► RadixFour ─► … ─►[exchange]─► RadixFour ─► after
  * }}}
  * `before` moves the two highest bits of a column's index to the lanes, and orders the columns one after the other. An
  * exchange swaps the next two bits with result bits, so results are in bit-reversed order, which `after` undoes. Small
  * columns pass the first steps unchanged.
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
    // Each lane bit with its time bit, if the column has that bit after its first step.
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

  /** Exchanges a lane bit with a time bit, with a latency of 2^bit cycles; 2^(bit + 1) beats arrive in consecutive cycles. */
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

  /** Tiles of a shuffle: one enters, one leaves, and two are in flight. */
  private val blocks = 4

  /** Names of the bits of a column's index or result, and of a column's number in a tile; with two elements, of a transform's
    * number.
    */
  private def named(letter: String, bits: Range): Seq[String] = bits.map(i => s"$letter$i")
  private def columns(kind: Arrangement.Kind.Value, laneBits: Int, k: Int): Seq[String] =
    if (kind != Arrangement.Kind.Whole) named("c", 0 until laneBits) else named("c", k until laneBits)

  /** The arrangement in front of the first step: the two highest bits in the lanes, in order; only the highest one if the
    * first step has radix 2.
    */
  private def before(laneBits: Int, kind: Arrangement.Kind.Value, k: Int): Arrangement = {
    val (a, c) = (named("a", 0 until k), columns(kind, laneBits, k))
    val top = if (k % 2 == 0) a.takeRight(2) else a.takeRight(2).reverse
    Arrangement(if (k < laneBits) a ++ c else c ++ a, top ++ a.dropRight(2) ++ c)
  }

  /** The arrangement after the last step. */
  private def after(laneBits: Int, kind: Arrangement.Kind.Value, k: Int): Arrangement = {
    val (o, c) = (named("o", 0 until k), columns(kind, laneBits, k))
    Arrangement(o.reverse ++ c, if (kind == Arrangement.Kind.Last && k >= laneBits) c ++ o else o ++ c)
  }
}
