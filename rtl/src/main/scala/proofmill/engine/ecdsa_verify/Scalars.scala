package proofmill.engine.ecdsa_verify

import proofmill.field.Quotients
import proofmill.micro.{Fed, ItemWrite}
import spinal.core._
import spinal.lib._

/** The scalars of a verification, and the context whose program waits for their items. */
case class ScalarJob(bits: Int, contexts: Int) extends Bundle {
  val z, r, s = Bits(bits bits)
  val context = UInt(log2Up(contexts) bits)
}

/** From z, r, s to the items of u1 and u2, in the order of the jobs.
  *
  * {{{
  *                u1 ─► Comb ──────────────────► items of G ─┐
  *   z, r, s ─► Quotients                                    ├─► fed
  *                u2 ─► GlvSplit ─► k1, k2 ─► Recode ► items of Q ─┘
  * }}}
  *
  * While one job's items are made the next one is divided: a new one every 320 cycles, through in about 440.
  *
  * @param contexts how many jobs' items are told apart
  */
class Scalars(cut: Cut, contexts: Int) extends Component {
  val io = new Bundle {
    val in = slave(Stream(ScalarJob(cut.bits, contexts)))
    val q = master(Flow(ItemWrite(contexts, cut.q)))
    val g = master(Flow(ItemWrite(contexts, cut.g)))
    val fed = master(Flow(Fed(contexts, cut.lists, feedFlags = 1))) // the flag: u1 is 0
  }

  val divide = new Quotients(cut.n)
  val split = new GlvSplit(cut)
  val recode = new Recode(cut, split.halfBits)
  val comb = new Comb(cut)

  // Whose scalars are being divided, and whose are becoming items.
  val divided = RegNextWhen(io.in.context, io.in.fire)
  val parted = RegNextWhen(divided, comb.io.in.fire)
  divide.io.in.arbitrationFrom(io.in)
  divide.io.in.payload := io.in.s ## io.in.r ## io.in.z

  // Both ways begin together, and Comb keeps its job until Recode has ended the same one.
  private val (forComb, forSplit) = StreamFork2(divide.io.out, synchronous = true)
  comb.io.in << forComb.translateWith(forComb.payload.takeLow(cut.bits))
  split.io.in << forSplit.translateWith(forSplit.payload.takeHigh(cut.bits))
  recode.io.in << split.io.out.translateWith(Vec(split.io.out.payload.subdivideIn(2 slices)))

  private def write(into: Flow[ItemWrite], from: Flow[Placed], context: UInt): Unit = {
    into.valid := from.valid
    into.context := context
    into.place := from.place
    into.item := from.item
  }
  write(io.q, recode.io.item, parted)
  write(io.g, comb.io.item, parted)
  private val both = StreamJoin(recode.io.done, comb.io.done)
  both.ready := True
  io.fed.valid := both.valid
  io.fed.context := parted
  io.fed.sizes := Vec(recode.io.done.payload, comb.io.done.payload)
  io.fed.flags := (comb.io.done.payload === 0).asBits
}
