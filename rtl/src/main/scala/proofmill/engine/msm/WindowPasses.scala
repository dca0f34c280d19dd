package proofmill.engine.msm

import spinal.core._
import spinal.lib._

/** Carries out runs, one after the other.
  *
  *   1. Idle: takes a run; one that was cancelled, or has no points, goes to Answer.
  *   2. Begin: what depends on the window's bits settles, feed and readers start anew.
  *   3. Accumulate: a pass's points go to the buckets, until all have been taken and the adders are idle.
  *   4. Order: every adder gets its tail, and carries it out in Tail. Then the next pass, from 3.
  *   5. Gather: the first adder gets the others' sums, one after the other.
  *   6. Answer: the outcome waits to be taken; the first adder's accumulator is the sum.
  *
  * A run that is cancelled or meets a memory fault goes, at the end of a tail at the latest, through
  *
  *   7. Stop: the readers take what they have asked for, the adders what is inside;
  *   8. Clear: the buckets are emptied.
  *
  * A run can be cancelled until it comes to Answer.
  */
class WindowPasses(cutting: Cutting, memoryBits: Int) extends Component {
  import cutting.{adders, bucketBits}
  val io = new Bundle {
    val run = slave(Stream(QueuedRun(memoryBits)))
    val cancel = slave(Flow(Bits(64 bits)))
    val found = out(Bool()) // the present run is meant

    val current = out(Reg(Run(memoryBits)))
    val renew = out(Bool()) // the feed forgets everything
    val start, stop = out(Bool()) // of the readers
    val passes = out(UInt(9 bits)) // that the run needs, 0 when there is none
    val passesDone = out(Reg(UInt(9 bits)) init 0)
    val readersIdle = in(Bool())
    val fault = in(Bool())

    val open = out(Bool()) // a pass of the feed
    val fed, empty = in(Bool()) // it is done; nothing is on its way from it

    val orders = Vec.fill(adders)(master(Stream(Order(bucketBits))))
    val busy, issued = in(Vec.fill(adders)(Bool()))
    val gathered = out(Reg(UInt(log2Up(adders + 1) bits))) // the adder whose sum the first one gets

    val outcome = master(Stream(Outcome()))
    val accumulating, inTail = out(Bool())
  }

  object State extends SpinalEnum {
    val Idle, Begin, Accumulate, Order, Tail, Gather, Gathering, Answer, Stop, Clear, Clearing = newElement()
  }
  val state = RegInit(State.Idle)
  private def now(states: SpinalEnumElement[State.type]*): Bool = states.map(state === _).orR

  /** Some cycles into a state, so that tables are there and whatever follows from it can be seen. */
  val cycle = Reg(UInt(3 bits))
  private val settled = cycle.andR
  when(!settled)(cycle := cycle + 1)
  private def goto(next: SpinalEnumElement[State.type]): Unit = {
    state := next
    cycle := 0
  }
  private val idle = settled && !io.busy.orR

  // What follows from the window's bits.
  private def fact(of: Int => BigInt) = RegNext(cutting.table(io.current.windowBits, of))
  private val passes = fact(cutting.passes(_)).resize(9)
  private val group = fact(cutting.group(_))
  private val after = fact(cutting.after(_))
  private val afterLast = (0 until adders).map(s => fact(cutting.afterLast(_, s)))

  io.renew := now(State.Idle) || now(State.Begin) && !settled
  io.start := now(State.Begin) && settled
  io.stop := io.renew || now(State.Stop)
  io.open := now(State.Accumulate)
  io.passes := now(State.Idle) ? U(0) | passes
  io.accumulating := now(State.Accumulate)
  io.inTail := now(State.Order, State.Tail, State.Gather, State.Gathering)

  // Why the run ends early, if it does. A cancel that finds the run is what its reply says.
  val status = Reg(Status())
  private val ends = status =/= Status.done
  io.found := !now(State.Idle, State.Answer) && io.cancel.payload === io.current.index
  when(io.fault && !ends && !now(State.Idle, State.Begin, State.Answer))(status := Status.memoryFault)
  when(io.cancel.valid && io.found)(status := Status.cancelled)

  // Orders: each adder takes its own when it can.
  val sent = Vec.fill(adders)(RegInit(False))
  private val asked = (0 until adders).map(s =>
    if (s == 0) now(State.Order, State.Clear, State.Gather) else now(State.Order, State.Clear)
  )
  private val allSent = io.orders.zip(sent).zip(asked).map { case ((order, sent), asked) =>
    sent || order.ready || !asked
  }.andR
  for ((order, s) <- io.orders.zipWithIndex) {
    order.valid := asked(s) && !sent(s)
    order.kind := now(State.Order) ? OrderKind.Tail | (now(State.Gather) ? OrderKind.Gather | OrderKind.Clear)
    order.windowBits := io.current.windowBits
    order.windows := group.resized
    order.after := (lastPass ? afterLast(s).resize(16) | after.resize(16))
    order.first := io.passesDone === 0
    when(order.fire)(sent(s) := True)
    when(asked.orR && allSent)(sent(s) := False)
  }
  private def lastPass = io.passesDone === passes - 1

  // Counts of this run.
  val accumulation, tail = Reg(UInt(64 bits))
  val additions = Vec.fill(adders)(Reg(UInt(64 bits)))
  when(io.accumulating)(accumulation := accumulation + 1)
  when(io.inTail)(tail := tail + 1)
  for ((count, issued) <- additions.zip(io.issued)) when(io.inTail && issued)(count := count + 1)

  io.run.ready := now(State.Idle)
  io.outcome.valid := now(State.Answer)
  io.outcome.index := io.current.index
  io.outcome.status := status
  io.outcome.accumulation := accumulation
  io.outcome.tail := tail
  io.outcome.additions := additions.reduceBalancedTree((a, b) => (a > b) ? a | b)
  io.outcome.none := RegNext(io.current.count === 0)

  switch(state) {
    is(State.Idle) {
      io.passesDone := 0
      io.gathered := 1
      accumulation := 0
      tail := 0
      additions.foreach(_ := 0)
      io.current := io.run.run
      status := io.run.cancelled ? Status.cancelled | Status.done
      when(io.run.valid) {
        goto(State.Begin)
        when(io.run.cancelled || io.run.run.count === 0)(goto(State.Answer))
      }
    }
    is(State.Begin) {
      when(settled)(goto(State.Accumulate))
    }
    is(State.Accumulate) {
      when(!io.fed || io.busy.orR)(cycle := 0)
      when(idle && io.fed)(goto(State.Order))
      when(ends)(goto(State.Stop))
    }
    is(State.Order) {
      when(allSent)(goto(State.Tail))
    }
    is(State.Tail) {
      when(idle) {
        io.passesDone := io.passesDone + 1
        goto(State.Accumulate)
        when(lastPass)(goto(if (adders > 1) State.Gather else State.Answer))
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
        when(io.gathered === adders - 1)(goto(State.Answer))
        when(ends)(goto(State.Stop))
      }
    }
    is(State.Answer) {
      when(io.outcome.ready)(goto(State.Idle))
    }
    is(State.Stop) {
      when(!io.empty || io.busy.orR)(cycle := 0)
      when(idle && io.empty && io.readersIdle)(goto(State.Clear))
    }
    is(State.Clear) {
      when(allSent)(goto(State.Clearing))
    }
    is(State.Clearing) {
      when(idle)(goto(State.Answer))
    }
  }
}
