package proofmill.shell

import proofmill.stream.Word
import spinal.core._
import spinal.lib._

/** What the STATUS reply says; everything but the busy bit is known at generation. */
case class Identity(version: BigInt, buildDate: BigInt, buildHost: BigInt, capabilities: BigInt) {

  /** The reply as one little-endian number, `state` zero. */
  def statusReply: BigInt =
    Control.statusReply | (version << 8 * 8) | (buildDate << 12 * 8) | (buildHost << 20 * 8) | (capabilities << 28 * 8)
}

/** Answers RESET, STATUS and IGNORE requests in their order, and carries out resets.
  *
  * A request is taken when the last word of its reply is. A reset, asked for by packet or by `softReset`:
  *   1. `resetting` rises: engines and their queues are held in reset, half-made replies are dropped;
  *   2. at least `resetCycles` later and when no whole reply waits any more and no memory access is under way, it is done;
  *   3. then, for a packet, the reply; `resetting` falls with it.
  * The RESET packet stays at the end of the stream meanwhile, so nothing behind it can be lost. STATUS and IGNORE are
  * answered during a soft reset as at any time.
  */
case class ControlUnit(identity: Identity, resetCycles: Int) extends Component {
  val requests = slave(Stream(Request()))
  val softReset = in(Bool())
  val repliesWaiting = in(Bool())
  val memoriesBusy = in(Bool())
  val busy = in(Bool())
  val reply = master(Word.packets)
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
