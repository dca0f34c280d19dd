package proofmill.shell

import proofmill.stream.Word
import spinal.core._
import spinal.lib._

/** The contents of the STATUS reply; only the busy bit is variable. */
case class Identity(version: BigInt, buildDate: BigInt, buildHost: BigInt, capabilities: BigInt) {

  /** The reply as one little-endian number, `state` zero. */
  def statusReply: BigInt =
    Control.statusReply | (version << 8 * 8) | (buildDate << 12 * 8) | (buildHost << 20 * 8) | (capabilities << 28 * 8)
}

/** Replies to RESET, STATUS and IGNORE requests in order, and executes resets.
  *
  * A request is accepted with the last word of its reply. A reset, requested by a packet or by `softReset`:
  *   1. `resetting` rises: engines and their queues are in reset, incomplete replies are discarded;
  *   2. the reset is complete at least `resetCycles` later, when no complete reply waits and no memory access is outstanding;
  *   3. the reply is sent, for a packet; `resetting` falls with it.
  * The RESET packet stays at the head of the stream during that time, so no later packet is lost. STATUS and IGNORE are
  * handled during a soft reset, too.
  */
case class ControlUnit(identity: Identity, resetCycles: Int) extends Component {

  /** Requests of the framer; accepted with the last word of the reply. */
  val requests = slave(Stream(Request()))
  val reply = master(Word.packets) // reply packets, in the order of the requests

  /** Pulse: the host requests a reset by the register. */
  val softReset = in(Bool())

  /** Level: a complete reply waits in a queue. */
  val repliesWaiting = in(Bool())
  val memoriesBusy = in(Bool()) // level: a memory access is outstanding
  val busy = in(Bool()) // level: an engine is busy, as the STATUS reply reports

  /** Level: engines and their queues are in reset. */
  val resetting = out(RegInit(False))

  // Reset.
  val isReset = requests.kind === RequestKind.RESET
  val resetAsked = requests.valid && isReset
  val held = Reg(UInt(log2Up(resetCycles + 1) bits)) init 0
  val heldLongEnough = held === resetCycles
  val done = resetting && heldLongEnough && !repliesWaiting && !memoriesBusy
  when(resetting && !heldLongEnough)(held := held + 1)
  when(done && (!resetAsked || reply.fire)) {
    resetting := False
    held := 0
  } elsewhen (softReset || resetAsked) {
    resetting := True
  }

  // Replies: word `beat` of the reply of this kind.
  val beat = Reg(UInt(3 bits)) init 0
  val statusWords = (Control.statusReplyBytes + 7) / 8
  val state = RegNextWhen(busy, beat === 0) init False // steady while its word is offered
  val statusData =
    Vec((0 until statusWords).map(i => B((identity.statusReply >> 64 * i) & ((BigInt(1) << 64) - 1), 64 bits)))
  val stateBit = (Control.statusReplyBytes - 1) % 8 * 8 + 1

  reply.valid := requests.valid && (!isReset || done)
  reply.fragment.keep := B(0xff, 8 bits)
  switch(requests.kind) {
    is(RequestKind.RESET) {
      reply.fragment.data := Control.resetReply
      reply.last := True
    }
    is(RequestKind.STATUS) {
      reply.fragment.data := statusData(beat)
      reply.last := beat === statusWords - 1
      when(reply.last) {
        reply.fragment.keep := Word.keepOf(Control.statusReplyBytes)
        reply.fragment.data(stateBit) := state
      }
    }
    is(RequestKind.IGNORE) {
      reply.fragment.data := beat(0) ? requests.header | B(Control.ignoreReply, 64 bits)
      reply.last := beat(0)
    }
  }
  when(reply.fire)(beat := reply.last ? U(0) | beat + 1)
  requests.ready := reply.ready && reply.last && reply.valid
}
