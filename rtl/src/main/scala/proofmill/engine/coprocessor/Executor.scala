package proofmill.engine.coprocessor

import proofmill.pairing.{Layout, PairingMachine, Permit, Start}
import proofmill.stream.Word
import spinal.core._
import spinal.lib._

/** Executes instructions, one after the other. An instruction that makes no sense only leaves its error.
  *
  * Pairings, Miller loops, final exponentiations and multiples of points that follow each other overlap, if none reads or writes another one's
  * result. All that can be wrong with one is known before the next one begins; results of those that overlap come in their order, and the pointer
  * is that of the oldest. An instruction that fails, or whose result is the identity, ends before those that are under way. All other instructions wait until none is under way, and so do points in Jacobian coordinates, whose affine
  * forms have one place.
  *
  *   1. Read, Take: the slot at the pointer; NoopWait reads it again.
  *   2. Look: the types of its operands. Weigh: all that can be said against it without values. Judged: that.
  *   3. Control instructions: Copy; Left, Right of a comparison, or of a count that is Lowered; the words of an interrupt (Head, Index,
  *      Value, Send).
  *   4. Scalar: of a multiple, which [[PointUnit]] splits meanwhile. Residues: the operands of arithmetic.
  *   5. Curve, ZeroZ, ZeroE, ZeroXY: is an operand on its curve, and is it the identity? Normal: its affine form.
  *   6. Run: the processor's program. Checked, ZeroBoth: those of pairings look themselves whether affine points are on their curves, and
  *      wait for the verdict before they store anything; Dismissed: otherwise it is asked again, point by point. Mark: its result. Depart:
  *      that comes later; Retire: now it is there. Ones: a result that is 1, an integer at a time.
  *   7. Launch: a multiple begins that may overlap others, once its scalar is split. Land: is its point in the subgroup? LandRun: then its affine
  *      form, and Retire. Redo: otherwise it is made again, while nothing else begins.
  *   8. OnPoints: [[PointUnit]] makes a sum, a multiple, an affine form, or finds out about a point; Verdict: that.
  *   9. Finish.
  */
class Executor(config: CoprocessorConfig, places: Places) extends Component {
  import InstructionSet.{kind => kindOf, _}
  private val pairing: PairingMachine = config.machine
  private val bits = pairing.field.bits
  private val (log2, log2Instructions) = (config.log2Data, config.log2Instructions)
  val io = new Bundle {
    val fetch = out(UInt(log2Instructions bits))
    val fetched = in(Bits(Instructions.bits bits))
    val look = out(Vec.fill(2)(UInt(log2 bits)))
    val kinds = in(Vec.fill(2)(Bits(3 bits)))
    val data = master(Stream(Ask(places.bits, bits)))
    val found = in(Found(bits))
    val start = master(Stream(Start(pairing.image.entries.size, places.bits)))
    val context = in(UInt(log2Up(pairing.contexts) bits))
    val over = in(Bits(pairing.contexts bits))
    val checked = in(Bool())
    val verdict = master(Flow(Permit(pairing.contexts)))
    val entries = out(Vec.fill(pairing.contexts, Layout.digits)(UInt(Layout.entryBits bits)))
    val taken, idle = in(Bool())
    val reader = in(UInt(log2Up(pairing.contexts) bits))
    val reply = master(Word.packets)
    val dataLog2, instructionsLog2 = in(UInt(4 bits)) // of the slots that programs have
    val pointer = out(UInt(log2Instructions bits))
    val jump = slave(Flow(UInt(log2Instructions bits))) // the host's
    val error = out(Bits(32 bits))
    val forgive = in(Bool())
    val lastCycles = out(UInt(32 bits))
    val executed, sent, busy = out(Bool())
  }
  private object State extends SpinalEnum(binaryOneHot) {
    val Read, Take, Look, Weigh, Judged, Copy, CopyTo, Left, Right, Lowered, Head, Index, Value, Send = newElement()
    val Residues, Curve, CurveDone, ZeroZ, ZeroE, ZeroXY, Normal, NormalDone, Run, RunDone, Mark, Ones, Finish =
      newElement()
    val Checked, ZeroBoth, Dismissed, Depart, Retire, Scalar, OnPoints, Verdict = newElement()
    val Launch, Land, LandRun, LandDone, Redo = newElement()
  }
  import State._
  private val state = RegInit(Read)

  // The instruction, and what can be said against it.
  private val pointer = Reg(UInt(log2Instructions bits)) init 0
  private val judge = new Judge
  judge.io.beyondData := Executor.beyond(io.dataLog2, config.log2Data)
  judge.io.beyondInstructions := Executor.beyond(io.instructionsLog2, config.log2Instructions)
  private def wrapped(at: UInt): UInt = at & ~judge.io.beyondInstructions.resize(log2Instructions).asUInt
  private val after = wrapped(pointer + 1)
  import judge.io.{operands, shapes}
  private val (points, elements) = (judge.io.arePoints, judge.io.areElements)
  private val kinds = judge.io.looked
  private def isOp(name: String): Bool = judge.io.is(opcodes.indexOf(InstructionSet.opcode(name)))
  judge.io.take.valid := False
  judge.io.take.payload := io.fetched
  judge.io.look := state === Look
  judge.io.kinds := io.kinds
  io.look := Vec(operands.take(2).map(_.resize(log2)))
  private val fault = Reg(UInt(3 bits))
  private def refuse(name: String): Unit = {
    fault := errors(name)
    state := Finish
  }

  private val cycles = Reg(UInt(32 bits)) // of this instruction

  // Pairings and multiples under way, in their order.
  private val context = RegNextWhen(io.context, io.start.fire)
  private val over = io.over(context)
  private val flights = new Flights(pairing.contexts, log2, log2Instructions, places.flights)
  private val oldest = flights.io.oldest.flight
  private val redo = RegInit(False) // the oldest one, a multiple, is made again
  private val multiplies = isOp("point_mult")
  flights.io.over := io.over
  flights.io.begin.valid := False
  flights.io.begin.context := context
  flights.io.soFar := cycles
  flights.io.end := False
  private val ofLines = isOp("miller_lines")
  private val flies = ofLines || Seq("miller_loop", "ate_pairing", "final_exp", "point_mult").map(isOp).orR
  private val bothAffine = !shapes(0).jacobian && !shapes(1).jacobian
  flights.io.ranges := Vec((0 until 3).map { i =>
    val range = SlotRange(log2)
    range.from := operands(i).resized
    range.count := shapes(i).slots
    range
  })
  private val mayFly = flies && (bothAffine || isOp("final_exp"))
  private val others = flights.io.any && !redo
  private val mustWait = RegNext(others && (!mayFly || flights.io.full || multiplies && flights.io.crowded)) ||
    RegNext(others) && flights.io.clash

  // The host's pointer.
  private val awaited = RegInit(False)
  private val wanted = RegNextWhen(wrapped(io.jump.payload), io.jump.valid)

  // Work under way.
  private val following = Reg(UInt(log2Instructions bits))
  private val which = Reg(UInt(1 bits)) // of two operands
  private val here = Vec(Seq.fill(2)(Reg(UInt(places.bits bits)))) // where their coordinates are
  private val none = Vec(Seq.fill(2)(Reg(Bool()))) // the identity
  private val step, word = Reg(UInt(4 bits))
  private val value = Reg(Bits(bits bits))
  private val lastCycles = Reg(UInt(32 bits)) init 0
  private val error = Reg(Bits(32 bits)) init 0
  private val seen = Reg(Bool()) // both points have been looked at, one by one
  private val to = Reg(UInt(log2Instructions bits))
  cycles := cycles + 1

  private val of = which === 0
  private val shapeNow = of ? shapes(0) | shapes(1)
  private val point = of ? points(0) | points(1)
  private val each = ShapeOf.coordinate(shapeNow.second)
  private val other = which === 1

  // Instructions on points.
  private val onPoints = new PointUnit(config, places)
  private val work = Seq(
    "point_affine" -> PointUnit.Work.Affine,
    "point_add" -> PointUnit.Work.Add,
    "point_mult" -> PointUnit.Work.Multiply,
    "point_check" -> PointUnit.Work.Check
  )
  private val second = multiplies ? shapes(1).second | shapes(0).second
  onPoints.io.go := state === OnPoints
  onPoints.io.work := PointUnit.Work.Affine
  for ((name, element) <- work) when(isOp(name))(onPoints.io.work := element)
  onPoints.io.second := second
  onPoints.io.here := here
  onPoints.io.none := none
  // What is found stays a cycle longer.
  private val scalarComes = False
  private val scalar = Flow(Bits(bits bits))
  scalar.valid := RegNext(scalarComes, init = False)
  scalar.payload := io.found.value
  onPoints.io.scalar << scalar
  onPoints.io.found := io.found
  onPoints.io.data.ready := io.data.ready
  onPoints.io.start.ready := io.start.ready
  onPoints.io.context := io.context
  onPoints.io.over := io.over
  onPoints.io.idle := io.idle
  onPoints.io.outside := redo
  private val split = new ScalarSplit(bits)
  split.io.start << scalar
  split.io.second := second
  onPoints.io.splitting := split.io.busy
  onPoints.io.fits := split.io.fits
  private val checks = ofLines ? U(1, step.getWidth bits) | U(Executor.checks, step.getWidth bits)
  private val walks =
    Seq("g1_multiply", "g2_multiply", "miller_lines").map(name => io.start.program === pairing.program(name))
  private val entries = new TableEntries(pairing.contexts)
  // A cycle later, long before the first entry is read.
  entries.io.begin.valid := RegNext(io.start.fire && walks.reduce(_ || _), init = False)
  entries.io.begin.context := RegNext(io.context)
  entries.io.begin.second := RegNext(walks(1))
  entries.io.begin.lines := RegNext(walks(2))
  entries.io.begin.parts := split.io.parts
  entries.io.reader := io.reader
  entries.io.taken := io.taken
  io.entries := entries.io.entries

  // Defaults.
  io.data.valid := False
  io.data.task := Task.Integer
  io.data.slot := operands(0).resized
  io.data.count := 1
  io.data.value := value
  io.data.kind := kinds(0)
  io.start.valid := False
  io.start.program := 0
  io.start.operands := Vec(here(0), here(1), operands(2).resize(places.bits), U(places.equation, places.bits bits))
  io.verdict.valid := False
  io.verdict.good := True
  io.verdict.context := context
  io.reply.valid := False
  io.reply.last := False
  io.reply.fragment.keep := 0xff
  io.reply.fragment.data := 0
  private def data(task: SpinalEnumElement[Task.type], slot: UInt, when: Bool = True): Unit = {
    io.data.valid := when
    io.data.task := task
    io.data.slot := slot.resized
  }
  private def program(name: String) = U(pairing.program(name), io.start.program.getWidth bits)
  private def run(then: SpinalEnumElement[State.type]): Unit = {
    io.start.valid := True
    when(io.start.ready)(state := then)
  }

  /** What is at the slot of an instruction begins. */
  private def begin(): Unit = {
    judge.io.take.valid := True
    cycles := 1
    fault := 0
    which := 0
    step := 0
    none.foreach(_ := False)
    seen := False
    state := Look
  }

  /** Behind the table of a multiple under way. */
  private def behind(flight: UInt, offset: Int): UInt = places.flight(flight, 2 * PointUnit.upper + offset)

  /** On to the other operand, or to the program. */
  private def nextPoint(): Unit = {
    which := 1
    state := Curve
    when(other) {
      which := 0
      state := Run
      when(work.map { case (name, _) => isOp(name) }.reduce(_ || _))(state := OnPoints)
      when(multiplies && !shapes(1).jacobian && !redo)(state := Launch)
    }
  }

  /** A point that is on no curve. */
  private def wrongPoint(): Unit = {
    refuse("not_on_curve")
    when(isOp("point_check")) {
      value := 0
      fault := 0
      state := Verdict
    }
  }

  // Where a result goes: operand, type.
  private val ofPairing = isOp("miller_loop") || isOp("ate_pairing") || ofLines
  private val toB = isOp("inv") || isOp("final_exp") || isOp("point_affine") || isOp("point_check")
  private val target = RegNext(toB ? operands(1) | operands(2))
  onPoints.io.target := target.resized
  private val targetSlots = toB ? shapes(1).slots | shapes(2).slots
  private val results = SlotRange(log2)
  results.from := target.resized
  results.count := targetSlots
  flights.io.results := results
  flights.io.begin.flight.slot := pointer
  flights.io.begin.flight.results := results
  flights.io.begin.flight.multiple := multiplies
  flights.io.begin.flight.second := second
  flights.io.begin.flight.scalar := operands(0).resized
  flights.io.begin.flight.rereads := multiplies || ofLines
  flights.io.begin.flight.point.from := operands(1).resized
  flights.io.begin.flight.point.count := shapes(1).slots
  private val targetKind = CombInit(kinds(0))
  when(ofPairing || isOp("final_exp"))(targetKind := kindOf("fe12"))
  when(multiplies || isOp("point_add"))(targetKind := second ? B(kindOf("fp2_jb")) | B(kindOf("fp_jb")))
  when(isOp("point_affine"))(targetKind := second ? B(kindOf("fp2_af")) | B(kindOf("fp_af")))
  when(isOp("point_check"))(targetKind := kindOf("scalar"))

  switch(state) {
    is(Read) {
      state := Take
      when(awaited)(state := Read)
      when(flights.io.landed)(state := oldest.multiple ? Land | Retire)
    }
    is(Retire) {
      data(Task.Mark, oldest.results.from)
      io.data.count := oldest.results.count
      io.data.kind := kindOf("fe12")
      when(oldest.multiple)(io.data.kind := oldest.second ? B(kindOf("fp2_jb"), 3 bits) | B(kindOf("fp_jb"), 3 bits))
      when(io.data.ready) {
        flights.io.end := True
        lastCycles := flights.io.oldest.cycles
        state := Read
      }
    }
    is(Land) {
      val member = oldest.second ? behind(flights.io.first, PointUnit.memberOfSecond) |
        behind(flights.io.first, PointUnit.memberOfFirst)
      data(Task.Zero, member)
      io.data.count := ShapeOf.coordinate(oldest.second)
      when(io.data.ready)(state := io.found.good ? LandRun | Redo)
    }
    is(LandRun) {
      io.start.operands(0) := behind(flights.io.first, 0)
      io.start.operands(2) := oldest.results.from.resized
      io.start.program := oldest.second ? program("g2_finish") | program("g1_finish")
      run(LandDone)
    }
    is(LandDone)(when(over)(state := Retire))
    is(Redo) {
      val three = Seq(oldest.scalar, oldest.point.from, oldest.results.from).map(_.resize(16).asBits)
      judge.io.take.payload := Cat(B(InstructionSet.opcode("point_mult").number, 8 bits) +: three)
      begin()
      redo := True
    }
    is(Take) {
      following := after
      begin()
      when(io.fetched.takeLow(8) === InstructionSet.opcode("noop_wait").number)(state := Read)
    }
    is(Look) {
      here := Vec(operands.take(2).map(_.resize(places.bits)))
      state := Weigh
    }
    is(Weigh)(state := Judged)
    is(Judged) {
      state := Residues
      when(isOp("copy_reg"))(state := Copy)
      when(isOp("jump")) {
        following := operands(0).resized
        state := Finish
      }
      when(isOp("jump_if_eq") || isOp("jump_nonzero_sub"))(state := Left)
      when(isOp("send_interrupt"))(state := Head)
      when(multiplies)(state := Scalar)
      for ((name, i) <- Judge.order.zipWithIndex.reverse) when(judge.io.faults(i))(refuse(name))
      when(mustWait)(state := Read)
    }

    // Control.
    is(Copy) {
      data(Task.Integer, operands(0))
      value := io.found.value
      when(io.data.ready)(state := CopyTo)
    }
    is(CopyTo) {
      data(Task.Put, operands(1))
      when(io.data.ready)(state := Finish)
    }
    is(Left) {
      data(Task.Integer, operands(1))
      value := io.found.value
      when(io.data.ready) {
        state := Right
        when(isOp("jump_nonzero_sub")) {
          value := (io.found.value.asUInt - 1).asBits
          state := Lowered
          when(io.found.value.takeLow(64) === 0)(state := Finish)
        }
      }
    }
    is(Right) {
      data(Task.Integer, operands(2))
      when(io.data.ready) {
        when(io.found.value.takeLow(64) === value.takeLow(64))(following := operands(0).resized)
        state := Finish
      }
    }
    is(Lowered) {
      data(Task.Put, operands(1))
      io.data.kind := kinds(1)
      following := operands(0).resized
      when(io.data.ready)(state := Finish)
    }
    is(Head) {
      io.reply.valid := True
      io.reply.fragment.data := Executor.interruptHeader
      when(io.reply.ready)(state := Index)
    }
    is(Index) {
      io.reply.valid := True
      io.reply.fragment.data := (kinds(0) ## operands(1).resize(32)).resized
      when(io.reply.ready)(state := Value)
    }
    is(Value) {
      data(Task.Integer, operands(0) + step)
      value := io.found.value
      word := 0
      when(io.data.ready) {
        step := step + 1
        state := Send
      }
    }
    is(Send) {
      io.reply.valid := True
      io.reply.fragment.data := value.takeLow(64)
      io.reply.last := word === 5 && step === shapes(0).slots
      when(io.reply.ready) {
        word := word + 1
        value := (value >> 64).resized
        when(word === 5)(state := Value)
        when(io.reply.last)(state := Finish)
      }
    }

    // Arithmetic.
    is(Residues) {
      val needed = of ? elements(0) | elements(1)
      data(Task.Residues, of ? operands(0) | operands(1), needed)
      io.data.count := shapeNow.slots
      when(!needed || io.data.ready) {
        which := 1
        when(other) {
          which := 0
          state := (points.reduce(_ || _) && !(ofPairing && bothAffine)) ? Curve | Run
        }
      }
      when(needed && io.data.ready && !io.found.good)(refuse("not_reduced"))
    }
    is(Curve) {
      io.start.operands(0) := here(which)
      io.start.operands(2) := places.equation
      io.start.program := shapeNow.second ?
        (shapeNow.jacobian ? program("g2_jacobian_equation") | program("g2_affine_equation")) |
        (shapeNow.jacobian ? program("g1_jacobian_equation") | program("g1_affine_equation"))
      when(point)(run(CurveDone)) otherwise nextPoint()
    }
    is(CurveDone)(when(over)(state := shapeNow.jacobian ? ZeroZ | ZeroE))
    is(ZeroZ) {
      data(Task.Zero, here(which) + (each << 1))
      io.data.count := each
      when(io.data.ready) {
        state := ZeroE
        when(io.found.good) {
          none(which) := True
          nextPoint()
        }
      }
    }
    is(ZeroE) {
      data(Task.Zero, U(places.equation, places.bits bits))
      io.data.count := each
      when(io.data.ready) {
        when(io.found.good) {
          when(shapeNow.jacobian)(state := Normal) otherwise nextPoint()
        } elsewhen shapeNow.jacobian {
          wrongPoint()
        } otherwise (state := ZeroXY)
      }
    }
    is(ZeroXY) {
      data(Task.Zero, here(which))
      io.data.count := (each << 1).resized
      when(io.data.ready) {
        none(which) := True
        nextPoint()
        when(!io.found.good)(wrongPoint())
      }
    }
    is(Normal) {
      io.start.operands(0) := here(which)
      io.start.operands(2) := of ? U(places.normal(0), places.bits bits) | U(places.normal(1), places.bits bits)
      io.start.program := shapeNow.second ? program("g2_normal") | program("g1_normal")
      run(NormalDone)
    }
    is(NormalDone) {
      here(which) := of ? U(places.normal(0), places.bits bits) | U(places.normal(1), places.bits bits)
      when(over)(nextPoint())
    }
    is(Run) {
      io.start.operands(2) := target.resized
      for (name <- Seq("miller_loop", "miller_lines", "ate_pairing", "final_exp"))
        when(isOp(name))(io.start.program := program(name))
      for (name <- Seq("add", "sub", "mul", "inv"); (field, slots) <- Seq("fe" -> 1, "fe2" -> 2, "fe12" -> 12))
        when(isOp(name) && shapes(0).slots === slots)(io.start.program := program(s"${field}_$name"))
      when(ofPairing && (none(0) || none(1)))(state := Ones) otherwise {
        run(RunDone)
        when(io.start.ready && ofPairing)(state := Checked)
      }
      step := 0
    }
    is(Checked) {
      when(io.checked)(step := step + 1)
      when(step === checks) {
        step := 0
        state := ZeroBoth
        when(!bothAffine || seen) { // the affine forms have been looked at
          io.verdict.valid := True
          state := RunDone
        }
      }
    }
    is(ZeroBoth) {
      data(Task.Zero, U(places.equation, places.bits bits))
      io.data.count := ofLines ? ShapeOf.coordinate(False) | U(3, ShapeOf.countBits bits)
      when(io.data.ready) {
        io.verdict.valid := True
        io.verdict.good := io.found.good
        state := io.found.good ? RunDone | Dismissed
      }
    }
    is(Dismissed) {
      seen := True
      when(over)(state := Curve)
    }
    is(RunDone) {
      when(mayFly) {
        flights.io.begin.valid := True
        state := Depart
      } elsewhen over(state := Mark)
    }
    is(Depart) {
      pointer := following
      state := Read
    }
    is(Mark) {
      data(Task.Mark, target)
      io.data.count := targetSlots
      io.data.kind := targetKind
      when(io.data.ready)(state := Finish)
    }
    is(Ones) {
      data(Task.Put, target + step)
      io.data.value := B(1, bits bits).andMask(step === 0)
      io.data.kind := targetKind
      when(io.data.ready) {
        step := step + 1
        when(step + 1 === targetSlots)(state := Finish)
      }
    }

    // Points.
    is(Scalar) {
      data(Task.Integer, operands(0))
      when(io.data.ready) {
        scalarComes := True
        state := Residues
      }
    }
    is(Launch) {
      val table = places.flight(flights.io.next, 0)
      io.start.operands := Vec(table, table, places.flight(flights.io.next, PointUnit.upper), here(1))
      io.start.program := second ? program("g2_multiply") | program("g1_multiply")
      when(none(1) || !split.io.busy && !split.io.fits) {
        state := flights.io.any ? Read | OnPoints // alone
      } elsewhen (!split.io.busy)(run(RunDone))
    }
    is(OnPoints) {
      io.data.valid := onPoints.io.data.valid
      io.data.payload := onPoints.io.data.payload
      io.start.valid := onPoints.io.start.valid
      io.start.payload := onPoints.io.start.payload
      value := onPoints.io.verdict.resized
      when(onPoints.io.done)(state := isOp("point_check") ? Verdict | Mark)
    }
    is(Verdict) {
      data(Task.Put, operands(1))
      io.data.kind := kindOf("scalar")
      when(io.data.ready)(state := Finish)
    }
    is(Finish) {
      pointer := (fault === 0) ? following | after
      when(judge.io.arithmetic)(lastCycles := cycles)
      when(fault =/= 0 && error === 0)(
        error := (redo ? oldest.slot | pointer).asBits.resize(16) ## fault.asBits.resize(16)
      )
      when(redo) {
        pointer := pointer
        lastCycles := flights.io.oldest.cycles
        flights.io.end := True
        redo := False
      }
      state := Read
    }
  }
  // The host's pointer waits until what is under way is done.
  when(state === Read && awaited && !flights.io.any) {
    pointer := wanted
    awaited := False
  }
  when(io.jump.valid)(awaited := True)
  when(io.forgive)(error := 0)

  io.fetch := pointer
  io.pointer := awaited ? wanted | (flights.io.any ? oldest.slot | pointer)
  io.error := error
  io.lastCycles := lastCycles
  io.executed := state === Finish || flights.io.end
  io.sent := io.reply.fire && io.reply.last
  io.busy := state =/= Read && state =/= Take || flights.io.any
}

object Executor {
  import proofmill.spec.Spec
  private val packet = Spec.table("wire/coprocessor").getTable("interrupt")

  /** The bits that a number below 2^`log2` does not have, where `log2` is from what is published to `most`. */
  private def beyond(log2: UInt, most: Int): Bits =
    Cat((0 until Judge.operandBits).map { bit =>
      if (bit < CoprocessorConfig.published) False else if (bit >= most) True else RegNext(log2 <= bit)
    })

  /** A header, whose length field does not count the value. */
  val interruptHeader: BigInt = (Spec.big(packet, "number") << 32) | Spec.int(packet, "len")

  /** What a program of pairings stores that it finds of its operands: of a in G1, of b in G2 if that is a point. */
  private val checks = 2
}
