package proofmill.field

import proofmill.arith._
import spinal.core._

/** Splits every integer x into r and q with x = r + q z, where r is not much longer than z: a division without a final
  * correction.
  *
  * The lowest bits, below 2^keep <= |z|, stay in r. Each chunk t = c 2^s above them has q(t) = round(t / z) in a table, so |t
  * - q(t) z| <= |z| / 2; q is the sum of these. r is the sum of the remainders. It is so short that x - q z, computed modulo
  * its own few bits, gives it: a few additions if z has few signed digits.
  */
case class Divide(z: BigInt, tempo: Tempo) extends Step {
  import tempo.pace

  private val keep = z.abs.bitLength - 1
  private val quotients = ChunkTables(keep, None, Divide.quotient(_, z), pace, tempo.chain)
  private val remainders = ChunkTables(keep, Some(Slice(0, keep)), Divide.remainder(_, z), pace, tempo.chain)

  private def bound(x: Bound): Bound = remainders.plan(Ready(x, 0)).bound

  def plan(xs: Seq[Ready]): Seq[Ready] = xs.flatMap { x =>
    val q = quotients.plan(x)
    val r = bound(x.bound)
    Seq(Ready(r, q.cycle + Sum.latency(Seq((x.bound, 1), (q.bound, -z)), r, pace)), q)
  }

  def build(xs: Seq[Number]): Seq[Number] = xs.flatMap { x =>
    val unit = new DivideUnit(x.bound, plan(Seq(x.ready.copy(cycle = 0))), divided)
    unit.io.x := x.bits
    def result(bits: SInt, ready: Ready) = Number(Timed(bits, x.value.cycle + ready.cycle), ready.bound)
    Seq(result(unit.io.r, unit.planned.head), result(unit.io.q, unit.planned.last))
  }

  private def divided(x: Number): Seq[Number] = {
    val q = quotients.build(x)
    val r = bound(x.bound)
    Seq(Number(Sum(Seq(Term(x.value, x.bound), Term(q.value, q.bound, -z)), r, pace), r), q)
  }

  def model(xs: Seq[(String, Bound)], cpp: ModelText): Seq[String] = xs.flatMap { case (x, bound) =>
    val q = quotients.model(x, bound, cpp)
    Seq(cpp.let(s"$x - $q * ${cpp.constant(z)}"), q)
  }
}

object Divide {

  /** Returns the integer nearest to t / z. */
  def quotient(t: BigInt, z: BigInt): BigInt = {
    val doubled = 2 * t + z.abs
    val q = (doubled - doubled.mod(2 * z.abs)) / (2 * z.abs)
    if (z > 0) q else -q
  }
  def remainder(t: BigInt, z: BigInt): BigInt = t - quotient(t, z) * z
}

/** The division of one integer as a component. Equal divisions share one module. */
class DivideUnit(bound: Bound, val planned: Seq[Ready], divided: Number => Seq[Number]) extends Component {
  val io = new Bundle {
    val x = in(Bits(bound.width bits)) // dividend
    val r = out(SInt(planned.head.bound.width bits)) // remainder, in the planned cycle
    val q = out(SInt(planned.last.bound.width bits)) // quotient, in the planned cycle
  }
  for ((number, result) <- divided(Number(Timed(io.x.asSInt, 0), bound)).zip(Seq(io.r, io.q)))
    result := number.value.value.resized
}
