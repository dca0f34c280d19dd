package proofmill.engine.ntt

import proofmill.arith.{Copies, Timing}
import spinal.core._
import spinal.lib._

/** The parameters of the pipeline, steady while beats are in flight: a pass, and its multiplications. */
case class Job(config: NttConfig) extends Bundle {
  val pass = Pass(config)
  val inverse = Bool()
  val product = Bool()
  val log = UInt(5 bits) // base-2 logarithm of the root's order
  val factors = FactorKind()
}

/** Transforms the columns of a pass, from beats of the memory to beats of the memory.
  *
  * {{{
  *   input ─► residues ─►(Factors)─► Columns ─►(Factors)─► canonical ─►(Difference)─► queue ─► output
  * }}}
  * Factors are in front of a forward transform and after an inverse one. For `a b - c`, whose beats arrive in the order a, c,
  * b, they multiply b by a; c is delayed in a queue. Beats in flight never stall: a block enters a stage when the next stage
  * has space (a credit) for it.
  */
class Pipeline(config: NttConfig, residues: Residues) extends Component {
  import config.{elementBits, lanes}
  private val words = elementBits * lanes
  val io = new Bundle {
    val job = in(Job(config)) // the pass and its multiplications; steady
    val start = in(Bool()) // pulse: the job has changed; no beat is in flight
    val input = slave(Stream(Bits(words bits))) // beats of reads
    val output = master(Stream(Bits(words bits))) // beats of writes
    val beat = out(UInt(config.beatBits bits)) // number of a beat for [[Powers]]
    val factor = in(SInt(residues.bits bits)) // its factor
    val lane = in(Vec(SInt(residues.bits bits), lanes)) // factors of the lanes
  }
  private val pass = io.job.pass
  private val depth = 1 << log2Up(Shuffle.latency + Factors.latency(residues) + residues.canonicalLatency + 9)
  val columns = Columns(config, residues)
  columns.io.job := io.job
  columns.io.start := io.start

  /** Steady selectors between words, one copy for each lane. */
  private def eachLane(choice: Bool): Vec[Bool] = Copies(choice, lanes, Timing())
  private def chosen(choices: Vec[Bool], one: Beat, other: Beat): Vec[Bits] =
    Vec((0 until lanes).map(i => choices(i) ? one.lanes(i) | other.lanes(i)))

  // Input: a block at a time.
  private val entered = Reg(UInt(NttConfig.passBits + 1 bits)) init 0
  private val isProduct = RegNext(io.job.product) init False
  val list = Reg(UInt(2 bits)) init 0 // list of `a b - c`
  private val places = Reg(UInt(log2Up(depth + 1) bits)) init depth
  private val within = RegNext(Shuffle.below(columns.io.entryBits))
  private val atBorder = RegInit(True) // computed when the beat before arrives
  private val room = isProduct ? (places =/= 0) | columns.io.room
  private val taken = io.input.haltWhen(atBorder && !room).toFlow
  when(taken.valid) {
    entered := entered + 1
    list := (list === 2 || !isProduct) ? U(0) | list + 1
    atBorder := isProduct ? (list === 2) | (((entered + 1) & within) === 0)
  }
  when(io.start) {
    entered := 0
    list := 0
    atBorder := True
  }
  private val begins = taken.valid && atBorder
  columns.io.claim := begins && !isProduct
  private val arriving = Flow(Beat(residues.bits, lanes))
  arriving.valid := Delay(taken.valid, residues.entryLatency, init = False)
  for ((to, word) <- arriving.lanes.zip(taken.payload.subdivideIn(elementBits bits)))
    to := residues.entered(word).asBits
  private def entering(number: Int) =
    Delay(taken.valid && isProduct && list === number, residues.entryLatency, init = False)

  // Factors, in front of the columns or after them.
  val factors = new Factors(config, residues)
  factors.io.kind := io.job.factors
  factors.io.inverse := io.job.inverse
  factors.io.log := io.job.log
  factors.io.factor := io.factor
  factors.io.lane := io.lane
  io.beat := factors.io.beat
  private val inFront = RegNext(!io.job.inverse)
  private val inFronts = eachLane(!io.job.inverse)
  private val walks = Seq(false, true).map(new AddressRegister(config, _))
  for ((generator, mine) <- walks.zip(Seq(inFront, !inFront))) {
    generator.io.pass := pass
    generator.io.start := io.start
    generator.io.next := factors.io.input.valid && mine
  }
  factors.io.pairs := isProduct
  factors.io.holds := entering(0)
  factors.io.input.valid := inFront ? arriving.valid | columns.io.output.valid
  factors.io.input.lanes := chosen(inFronts, arriving, columns.io.output)
  when(isProduct)(factors.io.input.valid := entering(2))
  factors.io.place := (inFront ? walks.head.io.place | walks.last.io.place)

  columns.io.input.valid := (inFront ? factors.io.output.valid | arriving.valid) && !isProduct
  columns.io.input.lanes := chosen(inFronts, factors.io.output, arriving)

  // Output: a beat leaves the columns when the queue has space for it.
  val queue = new StreamFifo(Bits(words bits), depth)
  places := places + queue.io.pop.fire.asUInt - (columns.io.nextClaim || begins && isProduct).asUInt
  columns.io.nextRoom := places =/= 0

  private val leaving = Flow(Beat(residues.bits, lanes))
  private val straight = !io.job.inverse && !io.job.product
  leaving.valid := RegNext(RegNext(straight) ? columns.io.output.valid | factors.io.output.valid) init False
  leaving.lanes := RegNext(chosen(eachLane(straight), columns.io.output, factors.io.output))
  // Beats that pass the factors in front bypass them at the output, and the other way round.
  private val settled = Delay(leaving.valid, residues.canonicalLatency, init = False)
  private val results = leaving.lanes.map(x => residues.canonical(x.asSInt))

  // c, which may exceed p, modulo p.
  val subtrahends = new StreamFifo(Bits(words bits), depth)
  subtrahends.io.push.valid := taken.valid && isProduct && list === 1
  subtrahends.io.push.payload := taken.payload
  subtrahends.io.pop.ready := settled && isProduct
  private val differences =
    for ((result, c) <- results.zip(subtrahends.io.pop.payload.subdivideIn(elementBits bits))) yield {
      val unit = new Difference(residues.field)
      unit.io.a := result.resized
      unit.io.b := c.resized
      unit
    }
  private val late = Delay(settled, differences.head.latency, init = False)
  queue.io.push.valid := isProduct ? late | settled
  queue.io.push.payload := isProduct ? Cat(differences.map(_.io.result.resize(elementBits))) | Cat(results)
  io.output << queue.io.pop
}
