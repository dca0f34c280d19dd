package proofmill.engine.ecdsa_verify

import proofmill.field.Arithmetic
import proofmill.micro.{Image, Lane}
import spinal.core._
import spinal.lib._

/** The properties of the sum R = u1 G + u2 Q; undefined for a signature that is `bad`. */
case class Verdict() extends Bundle {
  val onCurve = Bool() // Q is; otherwise the others are undefined
  val identity = Bool() // R is; then the others are undefined
  val isR = Bool() // R's x coordinate is r
  val isRPlusN = Bool() // it is r + n mod p
}

/** Verifies `contexts` signatures at once, with one multiplier and one unit that recodes scalars.
  *
  * A signature is accepted when a context and the division are free. The context's program computes multiples of Q while the scalars are divided, split
  * and recoded. A `bad` signature runs the program `reject`, which keeps the order. Verdicts are in the order of the signatures.
  */
class Verifier(programs: EcdsaPrograms, arithmetic: Arithmetic, image: Image, plan: ScalarPlan, contexts: Int)
    extends Component {
  require(
    programs.ports.lists == plan.lists,
    s"the programs take ${programs.ports.lists}, the scalars become ${plan.lists}"
  )
  val io = new Bundle {

    /** Signatures, accepted when a context and the division are free. */
    val in = slave(Stream(Signature()))
    val out = master(Stream(Verdict())) // a verdict per signature, in the order of the signatures
  }
  val lane = new Lane(programs.ports, arithmetic, image, contexts)
  val scalars = new Scalars(plan, contexts)

  private val in = io.in.payload
  private val verify = !in.bad
  private val room = in.bad || scalars.io.in.ready
  io.in.ready := lane.io.in.ready && room
  lane.io.in.valid := io.in.valid && room
  scalars.io.in.valid := io.in.valid && verify && lane.io.in.ready

  private def entry(name: String) = image.entries.indexWhere(_.name == name).ensuring(_ >= 0, s"no program $name")
  private val operands = programs.ports.operands(image, arithmetic.field)
  private val values = Map("x" -> in.qx, "y" -> in.qy, "r" -> in.r)
  private val program = verify ? U(entry("ecdsa_verify")) | U(entry("reject"))
  lane.io.in.payload := Cat(operands.map { port =>
    (if (port.name == "routine") program.asBits else values(port.name)).resize(port.bits)
  })

  scalars.io.in.z := in.z
  scalars.io.in.r := in.r
  scalars.io.in.s := in.s
  scalars.io.in.context := lane.io.begun.payload
  for ((items, made) <- lane.io.items.zip(Seq(scalars.io.q, scalars.io.g))) items << made
  lane.io.fed << scalars.io.fed

  private val flags = image.entries(entry("ecdsa_verify")).flags
  private def flag(name: String) = lane.io.out.payload(flags(name))
  io.out.arbitrationFrom(lane.io.out)
  io.out.onCurve := flag("on_curve")
  io.out.identity := flag("same_x") && !flag("same_y") && !flag("u1_zero")
  io.out.isR := flag("match")
  io.out.isRPlusN := flag("match_n")
}
