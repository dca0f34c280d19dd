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
  *   input ─► residues ─►(Factors)─► Columns ─►(Factors)─► canonical ─► queue ─► output
  * }}}
  * Factors come before a forward transform and after an inverse one. Nothing stops on its way: a block enters a part when there is room
  * behind it.
  */
class Pipeline(config: NttConfig, residues: Residues) extends Component {
  import config.{elementBits, lanes}
  private val words = elementBits * lanes
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
  val columns = Columns(config, residues)
  columns.io.job := io.job
  columns.io.start := io.start

  // In: a block at a time.
  private val entered = Reg(UInt(NttConfig.passBits + 1 bits)) init 0
  private val atBorder = (entered & Shuffle.below(columns.io.entryBits)) === 0
  private val taken = io.input.haltWhen(atBorder && !columns.io.room).toFlow
  when(taken.valid)(entered := entered + 1)
  when(io.start)(entered := 0)
  columns.io.claim := taken.valid && atBorder
  private val arriving = Flow(Beat(residues.bits, lanes))
  arriving.valid := Delay(taken.valid, residues.entryLatency, init = False)
  for ((to, word) <- arriving.lanes.zip(taken.payload.subdivideIn(elementBits bits)))
    to := residues.entered(word).asBits

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
  factors.io.input := (inFront ? arriving | columns.io.output)
  factors.io.place := (inFront ? walks.head.io.place | walks.last.io.place)

  columns.io.input.valid := inFront ? factors.io.output.valid | arriving.valid
  columns.io.input.payload := inFront ? factors.io.output.payload | arriving.payload

  // Out: a beat leaves when the queue has a place for it.
  private val depth = 1 << log2Up(Shuffle.latency + Factors.latency(residues) + residues.canonicalLatency + 8)
  val queue = new StreamFifo(Bits(words bits), depth)
  private val places = Reg(UInt(log2Up(depth + 1) bits)) init depth
  places := places + queue.io.pop.fire.asUInt - columns.io.nextClaim.asUInt
  columns.io.nextRoom := places =/= 0

  private val leaving = Flow(Beat(residues.bits, lanes))
  leaving.valid := inFront ? columns.io.output.valid | factors.io.output.valid
  leaving.payload := inFront ? columns.io.output.payload | factors.io.output.payload
  // What passes the factors in front is nothing to leave with, and the other way round.
  queue.io.push.valid := Delay(leaving.valid, residues.canonicalLatency, init = False)
  queue.io.push.payload := Cat(leaving.lanes.map(x => residues.canonical(x.asSInt)))
  io.output << queue.io.pop
}
