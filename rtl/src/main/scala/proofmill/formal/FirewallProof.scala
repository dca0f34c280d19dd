package proofmill.formal

import proofmill.shell.Firewall
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi._

/** For any subordinate that may be reset or hang at any time, the manager receives complete bursts by the rules of AXI4
  * within a bounded time, and the subordinate receives whole bursts by those rules until it is reset.
  *
  * The manager follows AXI4's rules. So does the subordinate between two resets, but it may never respond, and during its
  * reset its outputs are arbitrary. A reference model beside the firewall tracks the outstanding bursts of each side.
  */
class FirewallProof(bursts: Int, longest: Int, patience: Int) extends Component with Proof {
  private val config = Proof.axi
  val dut = Firewall(config, bursts, patience)
  val manager = slave(Axi4(config))
  dut.manager << manager
  val subordinate = master(Axi4(config))
  subordinate << dut.subordinate
  val down = freeInput(dut.down)
  val cut = dut.cut.pull()
  assume(manager.ar.len < longest && manager.aw.len < longest)
  Seq(manager.ar, manager.aw, manager.w).foreach(channel => assumeStaysOffered(channel.asInstanceOf[Stream[Data]]))

  private val lengthBits = log2Up(longest)
  private def countOf(most: Int) = Reg(UInt(log2Up(most + 1) bits)) init 0

  /** A queue of lengths less 1: pushed at the end, popped from the front. */
  class Account(push: Bool, length: UInt, pop: Bool, clear: Bool = False, most: Int = bursts) extends Area {
    val lengths = Vec(Reg(UInt(lengthBits bits)) init 0, most)
    val count = countOf(most)
    when(pop)(for (i <- 0 until most - 1) (lengths(i) := lengths(i + 1)))
    val place = count - U(pop)
    for (i <- 0 until most) when(push && place === i)(lengths(i) := length.resized)
    count := clear ? U(0, count.getWidth bits) | place + U(push)
  }

  /** Counts the beats of a burst. */
  private def beats(data: Stream[_], last: Bool, clear: Bool = False): UInt = {
    val beat = Reg(UInt(lengthBits bits)) init 0
    when(data.fire)(beat := last ? U(0) | beat + 1)
    when(clear)(beat := 0)
    beat
  }

  // The manager's side. One more than `bursts`: the response that is offered.
  val reads = new Account(manager.ar.fire, manager.ar.len, manager.r.fire && manager.r.last, most = bursts + 1)
  val readBeat = beats(manager.r, manager.r.last)
  assert(!manager.r.valid || reads.count =/= 0, "data only of a read")
  assert(
    !manager.r.valid || manager.r.last === (readBeat === reads.lengths(0)),
    "a read is as long as it was asked for"
  )
  val writes = countOf(bursts + 1)
  val given = new Account(manager.aw.fire, manager.aw.len, manager.w.fire && manager.w.last, most = bursts + 1)
  writes := writes + U(manager.aw.fire) - U(manager.b.fire)
  assert(!manager.b.valid || writes > given.count, "a response only to whole writes")
  val writeBeat = beats(manager.w, manager.w.last)
  assume(given.count === 0 || manager.w.last === (writeBeat === given.lengths(0)))
  assert(!manager.w.fire || given.count =/= 0, "data is taken behind its address")
  staysOffered("read data", manager.r)
  staysOffered("a response", manager.b)

  // The subordinate's side, since its last reset.
  val asked =
    new Account(subordinate.ar.fire, subordinate.ar.len, subordinate.r.fire && subordinate.r.last, clear = cut)
  val askedBeat = beats(subordinate.r, subordinate.r.last, clear = cut)
  assume(cut || !subordinate.r.valid || asked.count =/= 0)
  assume(cut || !subordinate.r.valid || subordinate.r.last === (askedBeat === asked.lengths(0)))
  val owed = new Account(manager.aw.fire && !cut, manager.aw.len, subordinate.w.fire && subordinate.w.last, clear = cut)
  val owedBeat = beats(subordinate.w, subordinate.w.last, clear = cut)
  assert(cut || !subordinate.w.valid || owed.count =/= 0, "the subordinate gets data of writes only")
  assert(cut || !subordinate.w.valid || subordinate.w.last === (owedBeat === owed.lengths(0)), "whole ones")
  val addresses, datas = countOf(bursts)
  private def waits(begins: Bool): UInt => UInt =
    count => cut ? U(0, count.getWidth bits) | count + U(begins) - U(subordinate.b.fire)
  addresses := waits(subordinate.aw.fire)(addresses)
  datas := waits(subordinate.w.fire && subordinate.w.last)(datas)
  assume(cut || !subordinate.b.valid || (addresses =/= 0 && datas =/= 0))
  for (channel <- Seq(subordinate.ar, subordinate.aw, subordinate.w))
    staysOffered("what the subordinate is offered", channel.asInstanceOf[Stream[Data]], unless = cut)

  // Liveness, for any subordinate.
  responds("a read goes on", reads.count =/= 0 && manager.r.ready, manager.r.valid, within = patience + 4)
  responds("a write is answered", writes > given.count && manager.b.ready, manager.b.valid, within = patience + 4)
  responds(
    "it opens again",
    !down && !dut.hung.pull() && manager.r.ready && manager.b.ready && manager.w.valid,
    !cut,
    within = longest * bursts + bursts + 3
  )
}
