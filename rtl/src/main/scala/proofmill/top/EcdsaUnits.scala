package proofmill.top

import proofmill.engine.ecdsa_verify.{ScalarPlan, GlvSplit, Scalars, SignatureReceiver}
import proofmill.field.Quotients
import proofmill.micro.{ItemList, ItemWrite}
import proofmill.spec.Curve
import proofmill.stream.{Port, StreamUnit}
import spinal.core._
import spinal.lib._

/** The parts of `ecdsa_verify` in front of the field processor. */
object EcdsaUnits {
  def all: Seq[UnitTarget] = Seq("toy", "secp256k1").flatMap { curve =>
    def target(kind: String)(make: ScalarPlan => StreamUnit) =
      UnitTarget(s"${kind}_$curve", kind, curve, model = false, () => StreamPorts(make(ScalarPlan(curve))))
    Seq(
      target("ecdsa_divide")(plan => new Quotients(plan.n)),
      target("ecdsa_split")(new GlvSplit(_)),
      target("ecdsa_items")(new ItemsUnit(_))
    )
  } :+ UnitTarget(
    "ecdsa_intake",
    "ecdsa_intake",
    "secp256k1",
    model = false,
    () => StreamPorts(new SignatureReceiver(Curve("secp256k1")))
  )
}

/** `Scalars` with its items collected in one word: magnitude, sign and count of each, lowest position first; positions
  * without an item are 0.
  */
class ItemsUnit(plan: ScalarPlan) extends StreamUnit {
  private def contexts = 2
  private val scalars = new Scalars(plan, contexts)
  def operands: Seq[Port] = Seq("z", "r", "s").map(Port(_, plan.bits))
  def results: Seq[Port] = plan.lists.flatMap { list =>
    val item = ItemWrite(contexts, list).item
    Seq(Port(list.name, item.getBitsWidth, list.items), Port(s"${list.name}_size", log2Up(list.items + 1)))
  } :+ Port("u1_zero", 1)
  def latency: Option[Int] = None

  // A context's items are kept until its result is accepted.
  private val job = Counter(contexts, io.in.fire)
  private val next = Counter(contexts, io.out.fire)
  private val taken, ready = Vec(Seq.fill(contexts)(RegInit(False)))
  private val free = io.in.haltWhen(taken(job))
  scalars.io.in.arbitrationFrom(free)
  scalars.io.in.payload.assignFromBits(job.value ## free.payload)
  when(io.in.fire)(taken(job) := True)

  private val fed = scalars.io.fed
  private val held = Seq(collect(scalars.io.q, plan.q), collect(scalars.io.g, plan.g)).transpose
  private val answers = held.zipWithIndex.map { case (lists, context) =>
    val last = RegNextWhen(fed.payload, fed.valid && fed.context === context)
    Cat(lists.zip(last.sizes).flatMap { case (items, size) => Seq(items, size.asBits) } :+ last.flags)
  }
  when(fed.valid)(ready(fed.context) := True)
  io.out.valid := ready(next)
  io.out.payload := Vec(answers)(next)
  when(io.out.fire) {
    ready(next) := False
    taken(next) := False
  }

  /** Each context's items; all 0 when a job takes the context. */
  private def collect(write: Flow[ItemWrite], list: ItemList): Seq[Bits] = Seq.tabulate(contexts) { context =>
    val items = Vec(Seq.fill(list.items)(Reg(Bits(write.item.getBitsWidth bits))))
    when(write.valid && write.context === context)(items(write.place) := write.item.asBits)
    when(io.in.fire && job.value === context)(items.foreach(_ := 0))
    items.asBits
  }
}
