package proofmill.formal

import proofmill.shell.ResetSequencer
import spinal.core._

/** Neighbours are notified `lead` cycles before the domain's reset begins. The reset lasts `hold` cycles and as long as it is
  * requested, and ends for both at once. Every request takes effect, and ends.
  *
  * `raw` may change in every cycle.
  */
class ResetSequencerProof(lead: Int, hold: Int) extends Component with Proof {
  val raw = in(Bool())
  val dut = new ResetSequencer(ClockDomain.current.readClockWire, raw, lead, hold)
  dut.domain.setSynchronousWith(ClockDomain.current)
  val down = dut.down
  val reset = dut.sequence.reset

  /** Returns the number of preceding cycles in which `level` was continuously high, at most `most`. */
  private def age(level: Bool, most: Int): UInt = {
    val cycles = Reg(UInt(log2Up(most + 1) bits)) init 0
    when(!level)(cycles := 0) elsewhen (cycles =/= most)(cycles := cycles + 1)
    cycles
  }
  val told = age(down, lead)
  val lasted = age(reset, hold)
  private val (wasDown, wasReset) = (RegNext(down) init True, RegNext(reset) init True)
  private def before[T <: Data](value: T): T = RegNext(value)
  assert(wasReset || !reset || told === lead, "neighbours are told before")
  assert(!reset || down, "and as long as it lasts")
  assert(!wasReset || reset || before(lasted) >= hold - 1, "it lasts long enough")
  assert(!wasDown || down || (wasReset && !reset), "it ends for both at once")
  assert(!wasDown || down || !before(dut.sequence.asked), "not while it is asked for")

  val unheard = RegInit(False)
  when(raw && !down)(unheard := True) elsewhen (down)(unheard := False)
  responds("a request is heard, however short", unheard, down, within = 4)
  responds("a reset ends", !raw, !down, within = lead + hold + 6)
}
