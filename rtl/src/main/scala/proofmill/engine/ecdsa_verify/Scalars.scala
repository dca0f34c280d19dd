package proofmill.engine.ecdsa_verify

import proofmill.field.Quotients
import proofmill.micro.{Fed, ItemWrite}
import spinal.core._
import spinal.lib._

/** The scalars of a verification, and the context of its program. */
case class ScalarJob(bits: Int, contexts: Int) extends Bundle {
  val z, r, s = Bits(bits bits)
  val context = UInt(log2Up(contexts) bits)
}

/** Computes the items of u1 and u2 from z, r, s, in the order of the jobs.
  *
  * {{{
  *                u1 ─► Comb ──────────────────► items of G ─┐
  *   z, r, s ─► Quotients                                    ├─► fed
  *                u2 ─► GlvSplit ─► k1, k2 ─► Recode ► items of Q ─┘
  * }}}
  *
  * The division of a job overlaps the recoding of the previous one: a job every 320 cycles, with a latency of about 440.
  *
  * @param contexts number of contexts
  */
class Scalars(plan: ScalarPlan, contexts: Int) extends Component {
  val io = new Bundle {

    /** Jobs: scalars below n, and the context of their program. */
    val in = slave(Stream(ScalarJob(plan.bits, contexts)))

    /** Items of Q, at most one per cycle. */
    val q = master(Flow(ItemWrite(contexts, plan.q)))
    val g = master(Flow(ItemWrite(contexts, plan.g))) // items of G, at most one per cycle
    val fed = master(Flow(Fed(contexts, plan.lists, feedFlags = 1))) // the flag: u1 is 0
  }

  val divide = new Quotients(plan.n)
  val split = new GlvSplit(plan)
  val recode = new Recode(plan, split.halfBits)
  val comb = new Comb(plan)

  // The contexts of the jobs in division and in recoding.
  val divided = RegNextWhen(io.in.context, io.in.fire)
  val parted = RegNextWhen(divided, comb.io.in.fire)
  divide.io.in.arbitrationFrom(io.in)
  divide.io.in.payload := io.in.s ## io.in.r ## io.in.z

  // Both paths begin together; Comb keeps its job until Recode has ended the same one.
  private val (forComb, forSplit) = StreamFork2(divide.io.out, synchronous = true)
  comb.io.in << forComb.translateWith(forComb.payload.takeLow(plan.bits))
  split.io.in << forSplit.translateWith(forSplit.payload.takeHigh(plan.bits))
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
