package proofmill.engine.msm

import proofmill.engine.msm.AdderRequestKind._
import spinal.core._
import spinal.lib._
import spinal.lib.fsm._

/** Makes an order into requests. spec/model/msm_core.py has the steps and why they give the sum of (j + 1) bucket j.
  *
  *   1. Idle: takes an order.
  *   2. Level: pairs (a, a + step), one a cycle. Window by window, step is a power of two below `size`, the number of a window's buckets.
  *      First for step = 1, 2, … size / 2 (`rising`): a = 0, 2 step, 4 step, …; then for step = size / 2, … 4, 2: a = 1, 2, … step - 1.
  *   3. Settle: until all sums are in their buckets. A level with many pairs needs none behind it.
  *   4. Double, Collect: windows from the last one on. `bit` is size, size / 2, … 1, 0; each time the accumulator is doubled
  *      (not for 0) and takes bucket `bit` (not for size).
  *   5. After: the doublings that the order asks for.
  *   6. Gather, Clear: orders of their own.
  *
  * @param latency cycles from a request to when its sum is in a bucket
  */
class Tail(bucketBits: Int, latency: Int) extends Component {
  val io = new Bundle {
    val order = slave(Stream(Order(bucketBits)))

    /** Is taken in its cycle. */
    val request = master(Flow(AdderRequest(bucketBits)))

    /** No sum is on its way. */
    val settled = in(Bool())
    val clear = out(Bool())
    val clearing = in(Bool())
    val busy = out(Bool())
  }
  private def number = UInt(bucketBits + 1 bits)

  private val size, used = Reg(number)
  private val step, base, index, bit, pairs = Reg(number)
  private val windows = Reg(number)
  private val rising, begun = Reg(Bool())
  private val after = Reg(UInt(16 bits))

  private def ask(kind: AdderRequestKind.E, a: UInt = U(0), b: UInt = U(0)): Unit = {
    io.request.valid := True
    io.request.kind := kind
    io.request.a := a.resized
    io.request.b := b.resized
  }
  io.request.valid := False
  io.request.payload.assignDontCare()

  private val fsm = new StateMachine {
    val Idle, Level, Settle, Double, Collect, After, Gather, Clear = new State
    setEntry(Idle)

    Idle.whenIsActive {
      val order = io.order.payload
      val bits = order.windowBits - 1
      size := (U(1, bucketBits + 1 bits) |<< bits).resized
      used := (order.windows |<< bits).resized
      windows := order.windows
      begun := !order.first
      after := (order.kind === OrderKind.Tail) ? order.after | U(0)
      rising := bits =/= 0
      step := 1
      when(io.order.fire) {
        switch(order.kind) {
          is(OrderKind.Tail)(goto(Settle))
          is(OrderKind.Gather)(goto(Gather))
          is(OrderKind.Clear)(goto(Clear))
        }
      }
    }

    val first = rising ? U(0, bucketBits + 1 bits) | U(1, bucketBits + 1 bits)
    Settle.whenIsActive {
      base := 0
      index := first
      pairs := 1
      when(io.settled) {
        goto(Level)
        when(!rising && step === 1) {
          base := used - size
          bit := size
          goto(Double)
        }
      }
    }

    Level.whenIsActive {
      val a = base | index
      when(rising)(ask(Keep, a, a | step)).otherwise(ask(Take, a, a | step))
      index := index + (rising ? (step |<< 1) | U(1, bucketBits + 1 bits))
      pairs := pairs + 1
      when(index === (rising ? (size - (step |<< 1)) | (step - 1))) {
        index := first
        base := base + size
        when(base + size === used) {
          val turns = rising && (step |<< 1) === size
          step := rising ? (turns ? (size |>> 1) | (step |<< 1)) | (step |>> 1)
          rising := rising && !turns
          base := 0
          pairs := 1
          val ahead = (pairs - windows).resize((bucketBits + 1).max(log2Up(2 * latency + 1)))
          when(ahead < 2 * latency)(goto(Settle))
        }
      }
    }

    Double.whenIsActive(when(io.settled) {
      when(begun)(ask(AdderRequestKind.Double)).otherwise(ask(Begin))
      begun := True
      goto(Collect)
      when(bit === size) {
        bit := bit |>> 1
        when(bit =/= 1)(goto(Double))
      }
    })
    Collect.whenIsActive(when(io.settled) {
      ask(AdderRequestKind.Collect, base | bit, base | bit)
      bit := bit |>> 1
      when(bit > 1)(goto(Double))
      when(bit === 0) {
        base := base - size
        bit := size
        goto(Double)
        when(base === 0)(goto(After))
      }
    })
    After.whenIsActive(when(io.settled) {
      when(after === 0)(goto(Idle)).otherwise(ask(AdderRequestKind.Double))
      after := after - 1
    })

    Gather.whenIsActive {
      ask(AdderRequestKind.Gather)
      goto(After)
    }
    Clear.whenIsActive(when(!io.clearing)(goto(Idle)))
  }
  io.order.ready := fsm.isActive(fsm.Idle) && io.settled
  io.clear := io.order.fire && io.order.kind === OrderKind.Clear
  io.busy := !fsm.isActive(fsm.Idle)
}
