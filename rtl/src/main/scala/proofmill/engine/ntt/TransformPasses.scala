package proofmill.engine.ntt

import spinal.core._
import spinal.lib._

/** A valid run. */
case class NttRun(config: NttConfig) extends Bundle {
  val source, scratch = UInt(config.memoryBits - 6 bits) // beats
  val log = UInt(5 bits)
  val inverse = Bool()
  val product = Bool() // no transform: a b - c of the consecutive lists a, b and c, in place of a
  val scalars = Bool() // the result goes to the scalars of an MSM
  val scalar = UInt(config.scalarBits.getOrElse(7) - 6 bits) // its first beat there
  val count = UInt(config.memoryBits - 6 bits) // of transforms
  val shift, scale = Bits(config.elementBits bits)
}

/** `status` of a reply. */
object NttStatus extends SpinalEnum {
  val done, refused, memoryFault, notCanonical = newElement()
}

/** The outcome of a run. */
case class NttOutcome() extends Bundle {
  val status = NttStatus()
  val element = UInt(64 bits) // the first that is not canonical
  val first, last = UInt(64 bits) // cycles
}

/** A beat to be stored. */
case class Store(config: NttConfig) extends Bundle {
  val beat = UInt(config.memoryBits - 6 bits)
  val data = Bits(config.elementBits * config.lanes bits)
  val half = Bool() // only the first half of the lanes
}

/** Executes a run, pass by pass.
  *
  * | state   | action                                                              | next                    |
  * |:--------|:--------------------------------------------------------------------|:------------------------|
  * | Idle    | accepts a run                                                       | Prepare                 |
  * | Prepare | fills the tables of powers, unless shift and scale are 1            | Begin                   |
  * | Begin   | sets the parameters of a pass and starts it                         | Execute                 |
  * | Execute | waits until the last beat of the pass is stored                     | Begin, or Done          |
  * | Done    | offers the outcome                                                  | Idle                    |
  *
  * Up to 2^passLog elements, all transforms of a run are one pass. Longer ones have two passes each, through the scratch memory, or three, of which
  * the third one works in place. `a b - c` is one pass, which reads a beat of a, of c and of b for each beat that it stores.
  *
  * @param residues the arithmetic of residues
  */
class TransformPasses(config: NttConfig, residues: Residues) extends Component {
  import config.{elementBits, laneBits, lanes}
  private val beatsBits = config.memoryBits - 6
  val io = new Bundle {

    /** Runs, accepted in Idle. */
    val run = slave(Stream(NttRun(config)))
    val outcome = master(Stream(NttOutcome())) // the outcome of the current run

    /** All channels together: the numbers of beats to read. */
    val readAddress = master(Stream(UInt(beatsBits bits)))
    val read = slave(Stream(Bits(elementBits * lanes bits))) // the data of those beats, in the order of `readAddress`
    val store = master(Stream(Store(config))) // beats to store
    val stored = in(Bool()) // pulse per beat of `store` whose response has arrived

    /** Pulse: a fault of the beat that is read or stored in this cycle. */
    val fault = in(Bool())

    /** Level, steady while busy: beats are stored as scalars of an MSM. */
    val scalars = out(Bool())
    val scalar = out(UInt(config.scalarBits.getOrElse(7) - 6 bits)) // first of them in the scalars' channel; steady

    /** Level: a run is executed. */
    val busy = out(RegInit(False))
  }

  object State extends SpinalEnum {
    val Idle, Prepare, Begin, Execute, Done = newElement()
  }
  val state = RegInit(State.Idle)
  val run = Reg(NttRun(config))
  io.scalars := run.scalars
  io.scalar := run.scalar
  val passNumber = Reg(UInt(2 bits))
  val transform = Reg(UInt(beatsBits bits))
  val offset = Reg(UInt(beatsBits bits)) // of its first beat
  val element = Reg(UInt(64 bits)) // the first that is not canonical
  val firstCycles, lastCycles = Reg(UInt(64 bits))
  private val whole = RegNext(run.log <= config.passLog || run.product)
  private val three = if (config.hasThree) RegNext(run.log > 2 * config.passLog) && !whole else False
  private val isFirst = passNumber === 0
  private val isLast = whole || passNumber === (three ? U(2) | U(1))

  // Bits of columns of the first pass, and of the others; of three, both of these.
  private val most = if (config.hasThree) (run.log - config.passLog) max U(2 * config.coreBits, 5 bits) else U(0)
  private val others = RegNext(three ? most.resize(5) | (run.log >> 1).resize(5))
  private val rows = RegNext(run.log - others)
  private val second = RegNext((others + 1) >> 1)
  private val third = RegNext(others >> 1)

  // The current pass.
  val job = Reg(Job(config))
  private val plain = RegNext(run.shift.asUInt === 1 && run.scale.asUInt === 1 || run.product)
  private val start = RegNext(RegNext(state === State.Begin) init False) init False
  private val pass = Pass(config)
  private val size = (U(1, beatsBits bits) |<< (run.log - laneBits)).resize(beatsBits) // beats of a transform
  pass.kind := PassKind.Middle
  when(isLast)(pass.kind := PassKind.Last)
  when(isFirst)(pass.kind := PassKind.First)
  when(whole)(pass.kind := PassKind.Whole)
  private val columnLog = UInt(5 bits)
  columnLog := rows
  when(!isFirst)(columnLog := (three ? (isLast ? third | second).resize(5) | others))
  when(whole)(columnLog := run.product ? U(config.unitLog, 5 bits) | run.log)
  pass.b := (columnLog - config.coreBits).resize(config.sizeBits)
  pass.other := (run.log - columnLog).resized
  if (config.hasThree) {
    pass.three := three
    pass.inner := rows.resized
  }
  private val short = if (config.leastLog < laneBits) run.log === 1 else False // two transforms a beat
  private val wholes = short ? ((run.count + 1) >> 1).resize(beatsBits) | run.count
  private val units = (size >> (config.unitLog - laneBits)).resize(beatsBits)
  private val tiles = run.product ? units | wholes
  pass.tiles := whole ? tiles | (U(1, beatsBits bits) |<< (pass.other - laneBits)).resize(beatsBits)
  pass.source := (passNumber === 1) ? run.scratch | (run.source + offset)
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

  // Memory.
  private def generator(written: Boolean, next: Bool): AddressRegister = {
    val generator = new AddressRegister(config, written)
    generator.io.pass := job.pass
    generator.io.start := start
    generator.io.next := next
    generator
  }
  private val readBeat, beats = Stream(UInt(beatsBits bits))
  private val sizes = Seq(RegNext(U(0, beatsBits bits)), RegNext((size << 1).resize(beatsBits)), RegNext(size))

  /** The list of the next beat: a, c, b in turn for `a b - c`; otherwise there is one list. */
  class Lists(next: Bool) extends Area {
    val number = Reg(UInt(2 bits)) init 0
    val isLast = !job.product || number === 2
    val offset = Vec(sizes)(number.resized)
    when(next)(number := isLast ? U(0) | number + 1)
    when(start)(number := 0)
  }
  val readLists = new Lists(readBeat.fire)
  val readOrder = generator(written = false, readBeat.fire && readLists.isLast)
  readBeat.valid := readOrder.io.valid && state === State.Execute
  readBeat.payload := job.pass.source + readOrder.io.beat + readLists.offset
  io.readAddress << readBeat.s2mPipe().m2sPipe() // cuts the path of ready from the memory to the generator
  pipeline.io.input << io.read
  private val half = RegNext(short && run.count(0)) init False
  val storeOrder = generator(written = true, pipeline.io.output.fire)
  private val store = pipeline.io.output.translateWith {
    val store = Store(config)
    store.beat := job.pass.target + storeOrder.io.beat
    store.data := pipeline.io.output.payload
    store.half := half && storeOrder.io.isLast
    store
  }
  io.store << store.m2sPipe()
  val open = Reg(UInt(beatsBits bits)) init 0 // beats to be stored, or without a response
  private val issued, stored = RegInit(False) // counted one cycle later
  issued := pipeline.io.output.fire
  stored := io.stored
  open := open + issued.asUInt - stored.asUInt
  private val passDone = storeOrder.io.done && !issued && open === 0

  // The least number of an element that is not canonical, checked in the first pass. Reads are counted one cycle late.
  private val read = RegNext(io.read.fire) init False
  val arrivalLists = new Lists(read)
  val arrivalOrder = generator(written = false, read && arrivalLists.isLast)
  private val wrongs =
    io.read.payload.subdivideIn(elementBits bits).map(TransformPasses.notBelow(config.field.modulus, _))
  val found = Reg(Bool())
  private val missing = half && arrivalOrder.io.isLast // the second half of the lanes
  private val wrong = Vec(wrongs.zipWithIndex.map { case (wrong, i) => wrong && !(Bool(i >= lanes / 2) && missing) })
  private val checked = RegNext(read && isFirst && wrong.orR) init False
  private val lane = RegNext(OHToUInt(OHMasking.first(wrong.asBits)))
  private val number = (RegNext(arrivalOrder.io.beat + offset + arrivalLists.offset) @@ lane).resize(64)
  when(checked && (!found || number < element)) {
    found := True
    element := number
  }
  val faulty = Reg(Bool())
  when(io.fault && state === State.Execute)(faulty := True)

  when(state === State.Execute) {
    when(job.pass.kind === PassKind.First)(firstCycles := firstCycles + 1)
      .otherwise(lastCycles := lastCycles + 1)
  }
  io.run.ready := state === State.Idle
  io.outcome.valid := state === State.Done
  io.outcome.element := element
  io.outcome.first := firstCycles
  io.outcome.last := lastCycles
  io.outcome.status := faulty ? NttStatus.memoryFault | (found ? NttStatus.notCanonical | NttStatus.done)
  when(!found || faulty)(io.outcome.element := 0)

  private val settle = Reg(UInt(2 bits)) // cycles until registers that depend on the run are valid
  switch(state) {
    is(State.Idle) {
      run := io.run.payload
      passNumber := 0
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
      state := State.Execute
    }
    is(State.Execute) {
      when(settle =/= 0)(settle := settle - 1)
      when(settle === 0 && passDone) {
        passNumber := passNumber + 1
        when(isLast) {
          passNumber := 0
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

  /** Returns whether an unsigned integer is not below p, one cycle later. */
  private def notBelow(p: BigInt, value: Bits): Bool = {
    val parts = value.subdivideIn(64 bits).zipWithIndex.map { case (word, i) =>
      val other = (p >> (64 * i)) & ((BigInt(1) << 64) - 1)
      (RegNext(word.asUInt > other), RegNext(word.asUInt === other))
    }
    parts.foldLeft(True) { case (lower, (above, equal)) => above || equal && lower }
  }
}
