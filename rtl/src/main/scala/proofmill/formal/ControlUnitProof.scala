package proofmill.formal

import proofmill.shell.{Control, ControlUnit, Identity, RequestKind}
import spinal.core._
import spinal.lib._

/** Each request gets exactly one complete reply, in order. A reset's reply follows a reset of sufficient length without older
  * work in flight. Neither a request nor a reset waits for ever.
  *
  * Assumption about the shell: no reply begins to wait and no memory access begins once a reset is three cycles old (its
  * queues and guards accept nothing then, which the control unit receives one cycle later).
  */
class ControlUnitProof(resetCycles: Int) extends Component with Proof {
  val dut = ControlUnit(Identity(1, 2, 3, 4), resetCycles)
  val requests = freeSource(dut.requests)
  val softReset = freeInput(dut.softReset)
  val repliesWaiting = freeInput(dut.repliesWaiting)
  val memoriesBusy = freeInput(dut.memoriesBusy)
  val busy = freeInput(dut.busy)
  val reply = freeSink(dut.reply)
  val resetting = dut.resetting
  assumeStaysOffered(requests)
  assume(requests.kind.asBits.asUInt < 3)

  val age = Reg(UInt(log2Up(resetCycles + 2) bits)) init 0 // preceding cycles of reset
  when(!resetting)(age := 0) elsewhen (age <= resetCycles)(age := age + 1)
  for (unfinished <- Seq(repliesWaiting, memoriesBusy)) {
    val before = RegNext(unfinished) init False
    assume(!(age >= 3 && resetting && unfinished && !before))
  }
  val finished = !repliesWaiting && !memoriesBusy

  // Replies.
  val word = Reg(UInt(3 bits)) init 0
  when(reply.fire)(word := reply.last ? U(0) | word + 1)
  val isReset = requests.kind === RequestKind.RESET
  val words = requests.kind.mux(
    RequestKind.RESET -> U(1, 3 bits),
    RequestKind.STATUS -> U(5, 3 bits),
    RequestKind.IGNORE -> U(2, 3 bits)
  )
  val first = requests.kind.mux(
    RequestKind.RESET -> B(Control.resetReply, 64 bits),
    RequestKind.STATUS -> B(Control.statusReply, 64 bits),
    RequestKind.IGNORE -> B(Control.ignoreReply, 64 bits)
  )
  assert(!reply.valid || requests.valid, "a reply only to a request")
  assert(requests.fire === (reply.fire && reply.last), "a request is taken with its reply's last word")
  assert(!reply.valid || reply.last === (word === words - 1), "as many words as this reply has")
  assert(!(reply.valid && word === 0) || reply.fragment.data === first, "the header of this reply")
  assert(
    !(reply.valid && requests.kind === RequestKind.IGNORE && word === 1) || reply.fragment.data === requests.header,
    "the echo"
  )
  staysOffered("a reply", reply)

  // Resets.
  assert(
    !(reply.valid && isReset) || (resetting && age >= resetCycles && finished),
    "after a long enough reset, every older reply and every memory access"
  )
  val was = RegNext(resetting) init False
  val tookReset = RegNext(requests.fire && isReset) init False
  val wantedReset = RegNext(requests.valid && isReset) init False
  val lasted = RegNext(age >= resetCycles && finished) init False
  assert(!(was && !resetting) || lasted, "no reset ends early")
  assert(!(was && !resetting && wantedReset) || tookReset, "a reset asked for by packet ends with its reply")
  assert(!(tookReset && resetting), "and its reply ends it")
  assert(!(RegNext(softReset && !resetting) init False) || resetting, "a soft reset is carried out")

  val clear = reply.ready && finished
  responds("a request is taken", requests.valid && clear, requests.ready, within = resetCycles + 6)
  responds("a reset ends", resetting && clear, !resetting, within = resetCycles + 1)
}
