package proofmill.engine.ecdsa_verify

import proofmill.micro.{Fed, ItemWrite}
import spinal.core._
import spinal.lib._

/** The scalars of a verification, and the context whose program waits for their items. */
case class ScalarJob(bits: Int, contexts: Int, feedFlags: Int) extends Bundle {
  val z, r, s = Bits(bits bits)
  val context = UInt(log2Up(contexts) bits)
  val flags = Bits(feedFlags bits) // go with the items as they are
}

/** From z, r, s to the items of u1 and u2, in the order of the jobs.
  *
  * {{{
  *                u1 ─► Comb ───────────────► items of G ─┐
  *   z, r, s ─► Divide                                    ├─► fed
  *                u2 ─► Split ─► k1, k2 ─► Recode ► items of Q ─┘
  * }}}
  *
  * While one job's items are made the next one is divided: a new one every 320 cycles, through in about 440.
  *
  * @param contexts how many jobs' items are told apart
  * @param feedFlags flags that go with a job
  */
class Scalars(cut: Cut, contexts: Int, feedFlags: Int) extends Component {
  val io = new Bundle {
    val in = slave(Stream(ScalarJob(cut.bits, contexts, feedFlags)))
    val q = master(Flow(ItemWrite(contexts, cut.q)))
    val g = master(Flow(ItemWrite(contexts, cut.g)))
    val fed = master(Flow(Fed(contexts, cut.lists, feedFlags)))
  }

  val divide = new Divide(cut.n)
  val split = new Split(cut)
  val recode = new Recode(cut, split.halfBits)
  val comb = new Comb(cut)

  /** The job that a part has taken last. */
  case class Whose() extends Bundle {
    val context = UInt(log2Up(contexts) bits)
    val flags = Bits(feedFlags bits)
  }
  val divided, parted = Reg(Whose())

  divide.io.in.arbitrationFrom(io.in)
  divide.io.in.payload := io.in.s ## io.in.r ## io.in.z
  when(io.in.fire) {
    divided.context := io.in.context
    divided.flags := io.in.flags
  }

  // Both ways begin together, and Comb keeps its job until Recode has ended the same one.
  private val (forComb, forSplit) = StreamFork2(divide.io.out, synchronous = true)
  comb.io.in << forComb.translateWith(forComb.payload.takeLow(cut.bits))
  split.io.in << forSplit.translateWith(forSplit.payload.takeHigh(cut.bits))
  when(comb.io.in.fire)(parted := divided)
  recode.io.in << split.io.out.translateWith(Vec(split.io.out.payload.subdivideIn(2 slices)))

  private def write(into: Flow[ItemWrite], from: Flow[Placed], context: UInt): Unit = {
    into.valid := from.valid
    into.context := context
    into.place := from.place
    into.item := from.item
  }
  write(io.q, recode.io.item, parted.context)
  write(io.g, comb.io.item, parted.context)
  private val both = StreamJoin(recode.io.done, comb.io.done)
  both.ready := True
  io.fed.valid := both.valid
  io.fed.context := parted.context
  io.fed.sizes := Vec(recode.io.done.payload, comb.io.done.payload)
  io.fed.flags := parted.flags
}
