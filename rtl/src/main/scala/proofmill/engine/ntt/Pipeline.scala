package proofmill.engine.ntt

import spinal.core._
import spinal.lib._

/** What goes through the circuit is steady: a pass, and how it multiplies. */
case class Job(config: NttConfig) extends Bundle {
  val pass = Pass(config)
  val inverse = Bool()
  val log = UInt(5 bits)
  val factors = FactorKind()
}

/** Transforms the columns of a pass, from the memory's beats to the memory's beats.
  *
  * {{{
  *   input ─►(Factors)─► before ─► Core 64 ─► Twiddles ─► between ─► Core 2^b ─► after ─►(Factors)─► canonical ─► queue ─► output
  * }}}
  * Factors come before a forward transform and after an inverse one. Nothing stops on its way: a block enters a part when there is room
  * behind it.
  */
class Pipeline(config: NttConfig, residues: Residues) extends Component {
  import config.{laneBits, lanes}
  private val q = NttConfig.radixBits - laneBits
  private val words = 64 * lanes
  val io = new Bundle {
    val job = in(Job(config))
    val start = in(Bool()) // the job has changed: nothing is inside
    val input = slave(Stream(Bits(words bits)))
    val output = master(Stream(Bits(words bits)))
    val beat = out(UInt(config.beatBits bits))
    val factor = in(SInt(residues.bits bits))
    val lane = in(Vec(SInt(residues.bits bits), lanes))
  }
  private val pass = io.job.pass
  private val whole = pass.kind === PassKind.Whole
  private val small = whole && pass.b < laneBits
  private val kinds = Seq(Arrangement.Kind.Whole, Arrangement.Kind.First, Arrangement.Kind.Last)
  private def choices(of: (Int, Arrangement.Kind.Value, Int) => Arrangement) =
    for (kind <- kinds; b <- 0 to NttConfig.radixBits) yield of(laneBits, kind, b)
  private val choice = RegNext((PassKind.number(pass.kind) * U(7, 3 bits) + pass.b).resize(5))
  private def shuffle(of: (Int, Arrangement.Kind.Value, Int) => Arrangement, blocks: Int): Shuffle = {
    val made = new Shuffle(residues.bits, laneBits, choices(of), blocks)
    made.io.choice := choice
    made.io.start := io.start
    made
  }

  // Small blocks come late for what they are: through the factors, and through a core.
  val before = shuffle(Arrangement.before, blocks = 8)
  val between = shuffle(Arrangement.between, blocks = 2)
  val after = shuffle(Arrangement.after, blocks = 4)

  /** Beats of blocks: of the first shuffle, the second and the third, as powers of two. */
  private val bits = pass.b +^ U(NttConfig.radixBits, 4 bits)
  private val tileBits = RegNext((whole ? (bits - laneBits) | bits).resize(4))
  private val entryBits = RegNext((small ? (bits - laneBits) | U(NttConfig.radixBits)).resize(4))
  private val exitBits = RegNext(
    ((pass.kind =/= PassKind.Last && pass.b < laneBits) ? (bits - laneBits) | U(NttConfig.radixBits)).resize(4)
  )

  // In: a block at a time.
  private val entered = Reg(UInt(NttConfig.passBits + 1 bits)) init 0
  private val atBorder = (entered & Shuffle.below(entryBits)) === 0
  private val taken = io.input.haltWhen(atBorder && !before.io.room).toFlow
  when(taken.valid)(entered := entered + 1)
  when(io.start)(entered := 0)
  before.io.claim := taken.valid && atBorder
  private val arriving = Flow(Beat(residues.bits, lanes))
  arriving.valid := taken.valid
  for ((to, word) <- arriving.lanes.zip(taken.payload.subdivideIn(64 bits))) to := word.resized

  // Factors, in front or behind.
  val factors = new Factors(config, residues)
  factors.io.kind := io.job.factors
  factors.io.inverse := io.job.inverse
  factors.io.log := io.job.log
  factors.io.factor := io.factor
  factors.io.lane := io.lane
  io.beat := factors.io.beat
  private val inFront = !io.job.inverse
  private val walks = Seq(false, true).map(new Walk(config, _))
  for ((walk, mine) <- walks.zip(Seq(inFront, io.job.inverse))) {
    walk.io.pass := pass
    walk.io.start := io.start
    walk.io.next := factors.io.input.valid && mine
  }
  factors.io.input := (inFront ? arriving | after.io.output)
  factors.io.place := (inFront ? walks.head.io.place | walks.last.io.place)

  before.io.input.valid := inFront ? factors.io.output.valid | arriving.valid
  before.io.input.payload := inFront ? factors.io.output.payload | arriving.payload
  before.io.next := tileBits
  before.io.nextRoom := between.io.room
  between.io.claim := before.io.nextClaim

  // The first core.
  private def counted(valid: Bool): UInt = {
    val count = Reg(UInt(NttConfig.passBits bits)) init 0
    when(valid)(count := count + 1)
    when(io.start)(count := 0)
    count
  }
  private val firstTime = counted(before.io.output.valid)
  val first = new Core(laneBits, residues.bits, fixed = true)
  first.io.b := NttConfig.radixBits
  first.io.inverse := io.job.inverse
  first.io.valid := before.io.output.valid
  first.io.position := firstTime.resized
  first.io.residues := Vec(before.io.output.lanes.map(_.asSInt))

  val twiddles = new Twiddles(laneBits, residues)
  twiddles.io.b := pass.b
  twiddles.io.inverse := io.job.inverse
  twiddles.io.columns := !whole
  twiddles.io.time := Delay(firstTime & Shuffle.below(tileBits).resized, Core.latency(laneBits) - Twiddles.ahead)
  twiddles.io.results := first.io.results
  between.io.input.valid := Delay(
    before.io.output.valid,
    Core.latency(laneBits) + Twiddles.latency(residues),
    init = False
  )
  between.io.input.lanes := Vec(twiddles.io.products.map(_.asBits))
  between.io.next := exitBits
  between.io.nextRoom := after.io.room
  after.io.claim := between.io.nextClaim

  // The second core.
  val second = new Core(laneBits, residues.bits, fixed = false)
  second.io.b := pass.b
  second.io.inverse := io.job.inverse
  second.io.valid := between.io.output.valid
  second.io.position := counted(between.io.output.valid).resized
  second.io.residues := Vec(between.io.output.lanes.map(_.asSInt))
  after.io.input.valid := Delay(
    between.io.output.valid,
    Core.latency(laneBits) + residues.residueLatency,
    init = False
  )
  after.io.input.lanes := Vec(second.io.results.map(residues.of(_).asBits))

  // Out: a beat leaves when the queue has a place for it.
  private val depth = 1 << log2Up(Shuffle.latency + Factors.latency(residues) + Residues.canonicalLatency + 8)
  val queue = new StreamFifo(Bits(words bits), depth)
  private val places = Reg(UInt(log2Up(depth + 1) bits)) init depth
  places := places + queue.io.pop.fire.asUInt - after.io.nextClaim.asUInt
  after.io.next := 0
  after.io.nextRoom := places =/= 0

  private val leaving = Flow(Beat(residues.bits, lanes))
  leaving.valid := inFront ? after.io.output.valid | factors.io.output.valid
  leaving.payload := inFront ? after.io.output.payload | factors.io.output.payload
  // What passes the factors in front is nothing to leave with, and the other way round.
  queue.io.push.valid := Delay(leaving.valid, Residues.canonicalLatency, init = False)
  queue.io.push.payload := Cat(leaving.lanes.map(x => residues.canonical(x.asSInt)))
  io.output << queue.io.pop
}
