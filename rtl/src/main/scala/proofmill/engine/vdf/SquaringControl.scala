package proofmill.engine.vdf

import spinal.core._
import spinal.lib._

/** Squarings to make. */
case class SquaringJob(countBits: Int) extends Bundle {
  val squarings = UInt(countBits bits) // at least 1
  val fresh = Bool() // from the input, not from the present state
}

/** The sequence of a job's squarings.
  *
  * A period has `2 (passes + 1)` cycles: in each of its two phases `passes` cycles in which products enter, and one in which
  * the last of them are added. A fresh job begins with a period that adds the input to the square of 0.
  */
class SquaringControl(countBits: Int, passes: Int) extends Component {
  private val phase = passes + 1
  val io = new Bundle {
    val start = slave(Flow(SquaringJob(countBits))) // a pulse starts a job, only while not `busy`
    val clear = out(Bool()) // pulse: the state becomes 0
    val second = out(Bool()) // level: the products of the second pass enter
    val complete = out(Bool()) // pulse: the square is complete
    val replace = out(Bool()) // pulse: the state is replaced by the result of the period
    val squared = out(Bool()) // pulse: that is a squaring
    val done = out(Bool()) // pulse: that is the job's last squaring
    val busy = out(RegInit(False)) // level: a job is being executed
  }
  val left = Reg(UInt(countBits bits))
  val enters = RegInit(False) // the period of the input
  val cycle = Reg(UInt(log2Up(2 * phase) bits)) init 0

  io.clear := io.start.valid && io.start.fresh
  io.second := (if (passes == 1) False else cycle === 1 || cycle === phase + 1)
  io.complete := cycle === phase - 1
  io.replace := io.busy && cycle === 2 * phase - 1
  io.squared := io.replace && !enters
  io.done := io.squared && left === 1

  when(io.busy)(cycle := io.replace ? U(0) | cycle + 1)
  when(io.replace)(enters := False)
  when(io.squared)(left := left - 1)
  when(io.done)(io.busy := False)
  when(io.start.valid) {
    io.busy := True
    enters := io.start.fresh
    left := io.start.squarings
  }
}
