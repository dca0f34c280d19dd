package proofmill.engine.ntt

import proofmill.arith.{Bound, Sum, Term, Timed}
import proofmill.field.Options
import proofmill.spec.Field
import spinal.core._

/** Computes a - b modulo p of canonical integers; one difference each cycle, with a latency of `latency` cycles. */
class Difference(field: Field) extends Component {
  private val p = field.modulus
  private val bits = field.bits
  val io = new Bundle {
    val a, b = in(Bits(bits bits)) // minuend and subtrahend
    val result = out(Bits(bits bits)) // difference, `latency` cycles later
  }
  setDefinitionName(s"Difference_${field.name}")

  private val range = Bound(0, p - 1)
  private val pace = Options().price.pace
  private def number(x: Bits) = Timed((False ## x).asSInt, 0)
  private val less = Sum(Seq(Term(number(io.a), range), Term(number(io.b), range, -1)), range - range, pace)
  private val more = Sum(Seq(Term(less, range - range)), range - range + Bound(p, p), pace, p)
  private val same = less.at(more.cycle)
  val latency: Int = more.cycle + 1
  io.result := RegNext((same.msb ? more.value.resize(same.getWidth) | same).asBits.resize(bits))
}
