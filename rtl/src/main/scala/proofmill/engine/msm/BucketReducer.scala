package proofmill.engine.msm

import proofmill.engine.msm.AdderRequestKind._
import spinal.core._
import spinal.lib._
import spinal.lib.fsm._

/** Expands a command into requests to the adder. spec/model/msm_core.py has the steps and the reason why they give the sum of (j + 1) bucket j.
  *
  *   1. Idle: accepts a command.
  *   2. Level: issues pairs (a, a + step), one per cycle, window by window. `size` is the number of a window's buckets, `step` a power of two below it.
  *      First for step = 1, 2, … size / 2 (`rising`): a = 0, 2 step, 4 step, …; then for step = size / 2, … 4, 2: a = 1, 2, … step - 1.
  *   3. Settle: waits until all sums are in their buckets.
  *   4. Double, Collect: window by window from the last one. `bit` is size, size / 2, … 1, 0; each time the accumulator is doubled (except for 0)
  *      and bucket `bit` is added (except for size).
  *   5. After: the doublings that the command requests.
  *   6. Gather, Clear: the other commands.
  */
class BucketReducer(bucketBits: Int) extends Component {
  val io = new Bundle {
    val command = slave(Stream(CoreCommand(bucketBits))) // a command, accepted in Idle when `settled`

    /** Requests. */
    val request = master(Stream(AdderRequest(bucketBits)))

    /** Level: no request and no sum is in flight, so a request is accepted at once. */
    val settled = in(Bool())

    /** A pulse that clears the flags of all buckets. */
    val clear = out(Bool())
    val clearing = in(Bool()) // level: flags are being cleared

    /** Level: a command is executed. */
    val busy = out(Bool())
  }
  private def number = UInt(bucketBits + 1 bits)

  private val size, used = Reg(number)
  private val step, base, index, bit = Reg(number)
  private val rising, begun = Reg(Bool())
  private val after = Reg(UInt(16 bits))

  private def issue(kind: AdderRequestKind.E, a: UInt = U(0), b: UInt = U(0)): Unit = {
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
      val command = io.command.payload
      val bits = command.windowBits - 1
      size := (U(1, bucketBits + 1 bits) |<< bits).resized
      used := (command.windows |<< bits).resized
      begun := !command.first
      after := (command.kind === CoreCommandKind.Reduce) ? command.after | U(0)
      rising := bits =/= 0
      step := 1
      when(io.command.fire) {
        switch(command.kind) {
          is(CoreCommandKind.Reduce)(goto(Settle))
          is(CoreCommandKind.Gather)(goto(Gather))
          is(CoreCommandKind.Clear)(goto(Clear))
        }
      }
    }

    val first = rising ? U(0, bucketBits + 1 bits) | U(1, bucketBits + 1 bits)
    Settle.whenIsActive {
      base := 0
      index := first
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
      when(rising)(issue(Keep, a, a | step)).otherwise(issue(Take, a, a | step))
      when(io.request.ready) {
        index := index + (rising ? (step |<< 1) | U(1, bucketBits + 1 bits))
        when(index === (rising ? (size - (step |<< 1)) | (step - 1))) {
          index := first
          base := base + size
          when(base + size === used) {
            val turnsDown = rising && (step |<< 1) === size
            step := rising ? (turnsDown ? (size |>> 1) | (step |<< 1)) | (step |>> 1)
            rising := rising && !turnsDown
            goto(Settle)
          }
        }
      }
    }

    Double.whenIsActive(when(io.settled) {
      when(begun)(issue(AdderRequestKind.Double)).otherwise(issue(Begin))
      begun := True
      goto(Collect)
      when(bit === size) {
        bit := bit |>> 1
        when(bit =/= 1)(goto(Double))
      }
    })
    Collect.whenIsActive(when(io.settled) {
      issue(AdderRequestKind.Collect, base | bit, base | bit)
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
      when(after === 0)(goto(Idle)).otherwise(issue(AdderRequestKind.Double))
      after := after - 1
    })

    Gather.whenIsActive {
      issue(AdderRequestKind.Gather)
      goto(After)
    }
    Clear.whenIsActive(when(!io.clearing)(goto(Idle)))
  }
  io.command.ready := fsm.isActive(fsm.Idle) && io.settled
  io.clear := io.command.fire && io.command.kind === CoreCommandKind.Clear
  io.busy := !fsm.isActive(fsm.Idle)
}
