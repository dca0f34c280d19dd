package proofmill.engine.ntt

import spinal.core._
import spinal.lib._

/** The columns of Goldilocks.
  *
  * {{{
  *   before ─► ShiftTransform 64 ─► Twiddles ─► between ─► ShiftTransform 2^b ─► after
  * }}}
  * A block enters a stage when the next stage has space for it.
  */
class ShiftColumns(config: NttConfig, residues: QuadResidues) extends Columns(config, residues) {
  import config.laneBits
  private val small = whole && pass.b < laneBits
  private val sizes = 0 to NttConfig.radixBits

  // Small blocks arrive late relative to their length: the factors and a core are in between.
  val before = shuffle(sizes, blocks = 8)(Arrangement.before)
  val between = shuffle(sizes, blocks = 2)(Arrangement.between)
  val after = shuffle(sizes, blocks = 4)(Arrangement.after)

  /** Base-2 logarithms of the beats of a block in the first, second and third shuffle. */
  private val bits = pass.b +^ U(NttConfig.radixBits, 4 bits)
  private val tileBits = RegNext((whole ? (bits - laneBits) | bits).resize(4))
  private val exitBits = RegNext(
    ((!straight && pass.b < laneBits) ? (bits - laneBits) | U(NttConfig.radixBits)).resize(4)
  )
  io.entryBits := RegNext((small ? (bits - laneBits) | U(NttConfig.radixBits)).resize(4))

  before.io.claim := io.claim
  io.room := before.io.room
  before.io.input << io.input
  before.io.next := tileBits
  before.io.nextRoom := between.io.room
  between.io.claim := before.io.nextClaim

  // The first core.
  private val firstTime = counted(before.io.output.valid)
  val first = new ShiftTransform(laneBits, residues.bits, fixed = true)
  first.io.b := NttConfig.radixBits
  first.io.inverse := io.job.inverse
  first.io.valid := before.io.output.valid
  first.io.position := firstTime.resized
  first.io.residues := Vec(before.io.output.lanes.map(_.asSInt))

  val twiddles = new Twiddles(laneBits, residues)
  twiddles.io.b := pass.b
  twiddles.io.inverse := io.job.inverse
  twiddles.io.columns := !whole
  twiddles.io.time := Delay(
    firstTime & Shuffle.below(tileBits).resized,
    ShiftTransform.latency(laneBits) - Twiddles.ahead
  )
  twiddles.io.results := first.io.results
  between.io.input.valid := Delay(
    before.io.output.valid,
    ShiftTransform.latency(laneBits) + Twiddles.latency(residues),
    init = False
  )
  between.io.input.lanes := Vec(twiddles.io.products.map(_.asBits))
  between.io.next := exitBits
  between.io.nextRoom := after.io.room
  after.io.claim := between.io.nextClaim

  // The second core.
  val second = new ShiftTransform(laneBits, residues.bits, fixed = false)
  second.io.b := pass.b
  second.io.inverse := io.job.inverse
  second.io.valid := between.io.output.valid
  second.io.position := counted(between.io.output.valid).resized
  second.io.residues := Vec(between.io.output.lanes.map(_.asSInt))
  after.io.input.valid := Delay(
    between.io.output.valid,
    ShiftTransform.latency(laneBits) + residues.residueLatency,
    init = False
  )
  after.io.input.lanes := Vec(second.io.results.map(residues.of(_).asBits))

  after.io.next := 0
  after.io.nextRoom := io.nextRoom
  io.nextClaim := after.io.nextClaim
  io.output << after.io.output
}
