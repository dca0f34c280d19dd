package proofmill.engine.msm

import spinal.core._
import spinal.lib._

/** Executes runs, one at a time.
  *
  * | state              | action                                                               | next                            |
  * |:-------------------|:---------------------------------------------------------------------|:--------------------------------|
  * | Idle               | takes a run                                                          | Begin; Deliver if it is cancelled or empty |
  * | Begin              | restarts feeder and readers, while what depends on the window settles | Accumulate                     |
  * | Accumulate         | passes the points to the buckets until the adders are idle           | IssueReduce                     |
  * | IssueReduce        | sends Reduce to every adder                                          | Reduce                          |
  * | Reduce             | waits for the adders                                                 | Accumulate; after the last pass Gather, or Deliver |
  * | Gather, Gathering  | adds the sum of the next adder to that of the first one              | Gather, or Deliver after the last |
  * | Deliver            | offers the result; the first adder's accumulator is the sum          | Idle                            |
  * | Stop               | waits until readers and adders have drained                          | Clear                           |
  * | Clear, Clearing    | empties the buckets                                                  | Deliver                         |
  *
  * A run that is cancelled, or has a memory fault, goes to Stop, at the latest at the end of Reduce or Gathering. A run can be cancelled until
  * Deliver.
  */
class WindowPasses(plan: WindowPlan, memoryBits: Int) extends Component {
  import plan.{adders, bucketBits}
  val io = new Bundle {

    /** Queued runs, accepted in Idle. */
    val run = slave(Stream(QueuedRun(memoryBits)))

    /** The index of a run to cancel. */
    val cancel = slave(Flow(Bits(64 bits)))
    val cancelFound = out(Bool()) // in the cycle of `cancel`: it is the current run

    /** The current run; steady from Begin on. */
    val current = out(Reg(MsmRun(memoryBits)))

    /** Level: resets the feeder. */
    val restart = out(Bool())

    /** Readers: a pulse that starts them; a level that stops and drains them. */
    val start, stop = out(Bool())
    val readersIdle = in(Bool()) // level: no reader has an outstanding read

    /** Level: a memory fault of the current run. */
    val fault = in(Bool())

    /** Passes of the current run, 0 in Idle. */
    val passes = out(UInt(9 bits))
    val passesDone = out(Reg(UInt(9 bits)) init 0) // passes of it that are done

    /** Feeder: a level that opens a pass. */
    val passOpen = out(Bool())
    val feederDone, feederEmpty = in(Bool()) // feeder, levels: all points of a pass were taken; its pipeline is empty

    /** Adders: commands. */
    val commands = Vec.fill(adders)(master(Stream(CoreCommand(bucketBits))))
    val busy, issued = in(Vec.fill(adders)(Bool())) // adders: a level and a pulse each, as of [[BatchBucketAdder]]
    val gathered = out(Reg(UInt(log2Up(adders + 1) bits))) // the adder whose sum is the external one of Gather

    /** The result of the current run. */
    val result = master(Stream(MsmOutcome()))

    /** Levels for counters. */
    val accumulating, reducing = out(Bool())
  }

  object State extends SpinalEnum {
    val Idle, Begin, Accumulate, IssueReduce, Reduce, Gather, Gathering, Deliver, Stop, Clear, Clearing = newElement()
  }
  val state = RegInit(State.Idle)
  private def isIn(states: SpinalEnumElement[State.type]*): Bool = states.map(state === _).orR

  /** Cycles in a state, up to 7: then the tables are valid, and the levels of other modules have followed. */
  val cycle = Reg(UInt(3 bits))
  private val settled = cycle.andR
  when(!settled)(cycle := cycle + 1)
  private def goto(next: SpinalEnumElement[State.type]): Unit = {
    state := next
    cycle := 0
  }
  private val idle = settled && !io.busy.orR

  // What depends on the bits of a window.
  private def fact(of: Int => BigInt) = RegNext(plan.table(io.current.windowBits, of))
  private val passes = fact(plan.passes(_)).resize(9)
  private val group = fact(plan.group(_))
  private val doublings = fact(plan.after(_))
  private val doublingsAfterLast = (0 until adders).map(s => fact(plan.afterLast(_, s)))

  io.restart := isIn(State.Idle) || isIn(State.Begin) && !settled
  io.start := isIn(State.Begin) && settled
  io.stop := io.restart || isIn(State.Stop)
  io.passOpen := isIn(State.Accumulate)
  io.passes := isIn(State.Idle) ? U(0) | passes
  io.accumulating := isIn(State.Accumulate)
  io.reducing := isIn(State.IssueReduce, State.Reduce, State.Gather, State.Gathering)

  // The status of the run. A cancel that finds it has priority over a fault.
  val status = Reg(MsmStatus())
  private val ends = status =/= MsmStatus.done
  io.cancelFound := !isIn(State.Idle, State.Deliver) && io.cancel.payload === io.current.index
  when(io.fault && !ends && !isIn(State.Idle, State.Begin, State.Deliver))(status := MsmStatus.memoryFault)
  when(io.cancel.valid && io.cancelFound)(status := MsmStatus.cancelled)

  // Commands: each adder accepts its own.
  val sent = Vec.fill(adders)(RegInit(False))
  private val selected = (0 until adders).map(s =>
    if (s == 0) isIn(State.IssueReduce, State.Clear, State.Gather) else isIn(State.IssueReduce, State.Clear)
  )
  private val allSent = io.commands.zip(sent).zip(selected).map { case ((command, sent), selected) =>
    sent || command.ready || !selected
  }.andR
  for ((command, s) <- io.commands.zipWithIndex) {
    command.valid := selected(s) && !sent(s)
    command.kind := isIn(State.IssueReduce) ? CoreCommandKind.Reduce | (isIn(
      State.Gather
    ) ? CoreCommandKind.Gather | CoreCommandKind.Clear)
    command.windowBits := io.current.windowBits
    command.windows := group.resized
    command.after := (lastPass ? doublingsAfterLast(s).resize(16) | doublings.resize(16))
    command.first := io.passesDone === 0
    when(command.fire)(sent(s) := True)
    when(selected.orR && allSent)(sent(s) := False)
  }
  private def lastPass = io.passesDone === passes - 1

  // Counts of this run.
  val accumulation, reduction = Reg(UInt(64 bits))
  val additions = Vec.fill(adders)(Reg(UInt(64 bits)))
  when(io.accumulating)(accumulation := accumulation + 1)
  when(io.reducing)(reduction := reduction + 1)
  for ((count, issued) <- additions.zip(io.issued)) when(io.reducing && issued)(count := count + 1)

  io.run.ready := isIn(State.Idle)
  io.result.valid := isIn(State.Deliver)
  io.result.index := io.current.index
  io.result.status := status
  io.result.accumulation := accumulation
  io.result.tail := reduction
  io.result.additions := additions.reduceBalancedTree((a, b) => (a > b) ? a | b)
  io.result.noPoints := RegNext(io.current.count === 0)

  switch(state) {
    is(State.Idle) {
      io.passesDone := 0
      io.gathered := 1
      accumulation := 0
      reduction := 0
      additions.foreach(_ := 0)
      io.current := io.run.run
      status := io.run.cancelled ? MsmStatus.cancelled | MsmStatus.done
      when(io.run.valid) {
        goto(State.Begin)
        when(io.run.cancelled || io.run.run.count === 0)(goto(State.Deliver))
      }
    }
    is(State.Begin) {
      when(settled)(goto(State.Accumulate))
    }
    is(State.Accumulate) {
      when(!io.feederDone || io.busy.orR)(cycle := 0)
      when(idle && io.feederDone)(goto(State.IssueReduce))
      when(ends)(goto(State.Stop))
    }
    is(State.IssueReduce) {
      when(allSent)(goto(State.Reduce))
    }
    is(State.Reduce) {
      when(idle) {
        io.passesDone := io.passesDone + 1
        goto(State.Accumulate)
        when(lastPass)(goto(if (adders > 1) State.Gather else State.Deliver))
        when(ends)(goto(State.Stop))
      }
    }
    is(State.Gather) {
      when(allSent)(goto(State.Gathering))
    }
    is(State.Gathering) {
      when(idle) {
        io.gathered := io.gathered + 1
        goto(State.Gather)
        when(io.gathered === adders - 1)(goto(State.Deliver))
        when(ends)(goto(State.Stop))
      }
    }
    is(State.Deliver) {
      when(io.result.ready)(goto(State.Idle))
    }
    is(State.Stop) {
      when(!io.feederEmpty || io.busy.orR)(cycle := 0)
      when(idle && io.feederEmpty && io.readersIdle)(goto(State.Clear))
    }
    is(State.Clear) {
      when(allSent)(goto(State.Clearing))
    }
    is(State.Clearing) {
      when(idle)(goto(State.Deliver))
    }
  }
}
