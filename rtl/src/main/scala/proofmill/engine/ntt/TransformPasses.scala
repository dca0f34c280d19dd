package proofmill.engine.ntt

import spinal.core._
import spinal.lib._

/** A run that has been found sound. */
case class Run(config: NttConfig) extends Bundle {
  val source, scratch = UInt(config.memoryBits - 6 bits) // beats
  val log = UInt(5 bits)
  val inverse = Bool()
  val product = Bool() // no transforms, but a b - c of the lists a, b and c behind each other, in place of a
  val scalars = Bool() // instead of there, among the scalars of sums
  val scalar = UInt(config.scalarBits.getOrElse(7) - 6 bits) // the first one's beat there
  val count = UInt(config.memoryBits - 6 bits) // of transforms
  val shift, scale = Bits(config.elementBits bits)
}

/** `status` of a reply. */
object Status extends SpinalEnum {
  val done, refused, memoryFault, notCanonical = newElement()
}

/** What is said of a run at its end. */
case class Outcome() extends Bundle {
  val status = Status()
  val element = UInt(64 bits) // the first that is not canonical
  val first, last = UInt(64 bits) // cycles
}

/** A beat for the memory. */
case class Store(config: NttConfig) extends Bundle {
  val beat = UInt(config.memoryBits - 6 bits)
  val data = Bits(config.elementBits * config.lanes bits)
  val half = Bool() // only the first half of the lanes
}

/** Carries out a run, pass by pass.
  *
  *   1. Idle: takes a run.
  *   2. Prepare: the powers of the shift, unless shift and scale are 1.
  *   3. Begin: a pass. Up to 2^passLog elements, all transforms are one pass; else each has two, by way of the scratch memory, or three, of which the
  *      third one works in place. `a b - c` is one pass, which reads a beat of a, one of c and one of b for each that it stores.
  *   4. Work: until the last beat of the pass has been stored.
  *   5. Done: the outcome is held until it is taken.
  *
  * @param residues how residues are multiplied
  */
class TransformPasses(config: NttConfig, residues: Residues) extends Component {
  import config.{elementBits, laneBits, lanes}
  private val beatsBits = config.memoryBits - 6
  val io = new Bundle {
    val run = slave(Stream(Run(config)))
    val outcome = master(Stream(Outcome()))

    /** Of all channels, which do the same: beats that are wanted, what they contain, what is stored, and that it was. */
    val wanted = master(Stream(UInt(beatsBits bits)))
    val read = slave(Stream(Bits(elementBits * lanes bits)))
    val store = master(Stream(Store(config)))
    val stored = in(Bool())
    val fault = in(Bool()) // of what is read or was stored in this cycle

    /** Where to instead, with beats from 0 on; steady while busy. */
    val scalars = out(Bool())
    val scalar = out(UInt(config.scalarBits.getOrElse(7) - 6 bits))
    val busy = out(RegInit(False))
  }

  object State extends SpinalEnum {
    val Idle, Prepare, Begin, Work, Done = newElement()
  }
  val state = RegInit(State.Idle)
  val run = Reg(Run(config))
  io.scalars := run.scalars
  io.scalar := run.scalar
  val turn = Reg(UInt(2 bits)) // the pass's number
  val transform = Reg(UInt(beatsBits bits))
  val offset = Reg(UInt(beatsBits bits)) // of its first beat
  val element = Reg(UInt(64 bits)) // the first that is not canonical
  val firstCycles, lastCycles = Reg(UInt(64 bits))
  private val whole = RegNext(run.log <= config.passLog || run.product)
  private val three = if (config.hasThree) RegNext(run.log > 2 * config.passLog) && !whole else False
  private val isFirst = turn === 0
  private val isLast = whole || turn === (three ? U(2) | U(1))

  // Bits of columns of the first pass, and of the others; of three, both of these.
  private val most = if (config.hasThree) (run.log - config.passLog) max U(2 * config.coreBits, 5 bits) else U(0)
  private val others = RegNext(three ? most.resize(5) | (run.log >> 1).resize(5))
  private val rows = RegNext(run.log - others)
  private val second = RegNext((others + 1) >> 1)
  private val third = RegNext(others >> 1)

  // The present pass.
  val job = Reg(Job(config))
  private val plain = RegNext(run.shift.asUInt === 1 && run.scale.asUInt === 1 || run.product)
  private val start = RegNext(RegNext(state === State.Begin) init False) init False
  private val pass = Pass(config)
  private val size = (U(1, beatsBits bits) |<< (run.log - laneBits)).resize(beatsBits) // beats of a transform
  pass.kind := PassKind.Middle
  when(isLast)(pass.kind := PassKind.Last)
  when(isFirst)(pass.kind := PassKind.First)
  when(whole)(pass.kind := PassKind.Whole)
  private val mine = UInt(5 bits)
  mine := rows
  when(!isFirst)(mine := (three ? (isLast ? third | second).resize(5) | others))
  when(whole)(mine := run.product ? U(config.unitLog, 5 bits) | run.log)
  pass.b := (mine - config.coreBits).resize(config.sizeBits)
  pass.other := (run.log - mine).resized
  if (config.hasThree) {
    pass.three := three
    pass.inner := rows.resized
  }
  private val short = if (config.leastLog < laneBits) run.log === 1 else False // two transforms a beat
  private val wholes = short ? ((run.count + 1) >> 1).resize(beatsBits) | run.count
  private val units = (size >> (config.unitLog - laneBits)).resize(beatsBits)
  private val tiles = run.product ? units | wholes
  pass.tiles := whole ? tiles | (U(1, beatsBits bits) |<< (pass.other - laneBits)).resize(beatsBits)
  pass.source := (turn === 1) ? run.scratch | (run.source + offset)
  pass.target := (isFirst && !whole) ? run.scratch | (run.source + offset)
  when(run.scalars)(pass.target := 0)

  val powers = new Powers(config, residues)
  powers.io.start := False
  powers.io.shift := run.shift
  powers.io.scale := run.scale
  powers.io.log := run.log
  val pipeline = new Pipeline(config, residues)
  pipeline.io.job := job
  pipeline.io.start := start
  powers.io.beat := pipeline.io.beat
  pipeline.io.factor := powers.io.factor
  pipeline.io.lane := powers.io.lane

  // From and to the memory.
  private def walk(written: Boolean, next: Bool): Track = {
    val walk = new Track(config, written)
    walk.io.pass := job.pass
    walk.io.start := start
    walk.io.next := next
    walk
  }
  private val asked, beats = Stream(UInt(beatsBits bits))
  private val sizes = Seq(RegNext(U(0, beatsBits bits)), RegNext((size << 1).resize(beatsBits)), RegNext(size))

  /** Whose beat is next, of the lists a, c and b; there is one list unless it is `a b - c`. */
  class Lists(next: Bool) extends Area {
    val number = Reg(UInt(2 bits)) init 0
    val isLast = !job.product || number === 2
    val offset = Vec(sizes)(number.resized)
    when(next)(number := isLast ? U(0) | number + 1)
    when(start)(number := 0)
  }
  val askedLists = new Lists(asked.fire)
  val asking = walk(written = false, asked.fire && askedLists.isLast)
  asked.valid := asking.io.there && state === State.Work
  asked.payload := job.pass.source + asking.io.beat + askedLists.offset
  io.wanted << asked.s2mPipe().m2sPipe() // the walk does not wait for the memory in the same cycle
  pipeline.io.input << io.read
  private val half = RegNext(short && run.count(0)) init False
  val storing = walk(written = true, pipeline.io.output.fire)
  private val store = pipeline.io.output.translateWith {
    val store = Store(config)
    store.beat := job.pass.target + storing.io.beat
    store.data := pipeline.io.output.payload
    store.half := half && storing.io.isLast
    store
  }
  io.store << store.m2sPipe()
  val open = Reg(UInt(beatsBits bits)) init 0 // beats to be stored, or whose response is missing
  private val leaves, stored = RegInit(False) // a cycle before it is counted
  leaves := pipeline.io.output.fire
  stored := io.stored
  open := open + leaves.asUInt - stored.asUInt
  private val over = storing.io.done && !leaves && open === 0

  // Elements that are not canonical, in the first pass over them: the least number.
  // A beat is counted a cycle after it was read: that it was is known late.
  private val read = RegNext(io.read.fire) init False
  val arrivingLists = new Lists(read)
  val arriving = walk(written = false, read && arrivingLists.isLast)
  private val wrongs =
    io.read.payload.subdivideIn(elementBits bits).map(TransformPasses.notBelow(config.field.modulus, _))
  val found = Reg(Bool())
  private val missing = half && arriving.io.isLast // the second half of the lanes
  private val wrong = Vec(wrongs.zipWithIndex.map { case (wrong, i) => wrong && !(Bool(i >= lanes / 2) && missing) })
  private val checked = RegNext(read && isFirst && wrong.orR) init False
  private val lane = RegNext(OHToUInt(OHMasking.first(wrong.asBits)))
  private val number = (RegNext(arriving.io.beat + offset + arrivingLists.offset) @@ lane).resize(64)
  when(checked && (!found || number < element)) {
    found := True
    element := number
  }
  val faulty = Reg(Bool())
  when(io.fault && state === State.Work)(faulty := True)

  when(state === State.Work) {
    when(job.pass.kind === PassKind.First)(firstCycles := firstCycles + 1)
      .otherwise(lastCycles := lastCycles + 1)
  }
  io.run.ready := state === State.Idle
  io.outcome.valid := state === State.Done
  io.outcome.element := element
  io.outcome.first := firstCycles
  io.outcome.last := lastCycles
  io.outcome.status := faulty ? Status.memoryFault | (found ? Status.notCanonical | Status.done)
  when(!found || faulty)(io.outcome.element := 0)

  private val settle = Reg(UInt(2 bits)) // cycles until what follows from the run stands
  switch(state) {
    is(State.Idle) {
      run := io.run.payload
      turn := 0
      transform := 0
      offset := 0
      found := False
      faulty := False
      element := 0
      firstCycles := 0
      lastCycles := 0
      settle := 3
      when(io.run.valid) {
        state := State.Prepare
        io.busy := True
      }
    }
    is(State.Prepare) {
      when(settle =/= 0)(settle := settle - 1)
      when(settle === 1 && !plain)(powers.io.start := True)
      when(settle === 0 && !powers.io.busy)(state := State.Begin)
    }
    is(State.Begin) {
      job.pass := pass
      job.inverse := run.inverse
      job.product := run.product
      job.log := run.log
      val multiplies = run.inverse ? isLast | isFirst
      job.factors := multiplies ? (plain ? FactorKind.One | FactorKind.Power) | FactorKind.Root
      // Between the second pass and the third, indices are of columns of the rest: of a root of that order.
      if (config.hasThree) when(!multiplies && (run.inverse ? !isFirst | (three && isLast))) {
        job.log := others + laneBits
        job.factors := FactorKind.Alike
      }
      settle := 3
      state := State.Work
    }
    is(State.Work) {
      when(settle =/= 0)(settle := settle - 1)
      when(settle === 0 && over) {
        turn := turn + 1
        when(isLast) {
          turn := 0
          transform := transform + 1
          offset := offset + size
        }
        val ends = whole || (isLast && transform === run.count - 1)
        state := ends ? State.Done | State.Begin
      }
    }
    is(State.Done) {
      when(io.outcome.ready) {
        state := State.Idle
        io.busy := False
      }
    }
  }
}

object TransformPasses {

  /** Is an unsigned integer not below another one? A cycle later. */
  private def notBelow(p: BigInt, value: Bits): Bool = {
    val parts = value.subdivideIn(64 bits).zipWithIndex.map { case (word, i) =>
      val other = (p >> (64 * i)) & ((BigInt(1) << 64) - 1)
      (RegNext(word.asUInt > other), RegNext(word.asUInt === other))
    }
    parts.foldLeft(True) { case (lower, (above, equal)) => above || equal && lower }
  }
}
