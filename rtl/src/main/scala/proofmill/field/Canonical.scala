package proofmill.field

import proofmill.arith._
import proofmill.stream.{Port, StreamUnit}
import spinal.core._
import spinal.lib._
import spinal.lib.fsm._

/** From digits within `product` to the least residue, 0 to p - 1, of the integer that they make (times `scale`, if the
  * form has one: Montgomery's residues are multiplied by 1 first). For doors: one residue in some hundred cycles.
  *
  * One adder, whose operands are held until its sum is there; `step` counts the additions.
  *
  *   1. Idle: takes a residue.
  *   2. Add, Horner: sum = d(i) + z v, one addition for each signed binary digit of z; v becomes the sum, until i = 0.
  *   3. Add, offset: a multiple of p makes the sum non-negative.
  *   4. Add, subtraction: p 2^k for falling k is taken away wherever nothing negative remains.
  *   5. Done: the result is held until it is taken.
  */
class Canonical(arithmetic: Arithmetic, pace: Pace) extends StreamUnit {
  import arithmetic.{base, digits, field, product, scale}
  private def p = field.modulus

  def operands: Seq[Port] =
    Seq(Port("a", product.width, digits, Some(field.name), base, scale, product.low, product.high))
  def results: Seq[Port] = Seq(Port("result", p.bitLength + 1, 1, Some(field.name), 0, scale, 0, p - 1))
  def latency: Option[Int] = None

  /** What v may be after each digit. */
  private val horner = Seq.fill(digits)(product).reduceLeft((v, d) => v * base + d)
  private val offset = ((-horner.low).max(0) + p - 1) / p
  private val largest = (horner.high + offset * p) / p
  private val range = Bound(horner.low - (p << largest.bitLength), horner.high + offset * p) * 2

  private val terms = if (digits == 1) Seq.empty else NonAdjacent(base)
  private val additions: Seq[SInt => SInt] =
    terms.map { case (shift, negative) =>
      (v: SInt) => if (negative) -(v << shift).resize(range.width) else (v << shift).resized
    } ++
      ((offset * p) +: (largest.bitLength - 1 to 0 by -1).map(k => -(p << k))).map(c =>
        (_: SInt) => S(c, range.width bits)
      )

  val rest = Vec(Reg(SInt(product.width bits)), digits)
  val left = Reg(UInt(log2Up(digits + 1) bits))
  val v, sum = Reg(SInt(range.width bits))
  val step = Reg(UInt(log2Up(additions.size + 1) bits))

  private val chosen = Vec(additions.map(f => f(v).resize(range.width)))(step.resize(log2Up(additions.size)))
  private val added =
    Sum(Seq(Term(Timed(sum, 0), range), Term(Timed(chosen, 0), range)), Bound.signed(range.width), pace)
  val wait_ = Reg(UInt(log2Up(added.cycle + 1) bits))

  private val incoming = io.in.payload.subdivideIn(digits slices).map(_.asSInt)
  private val next = added.value

  val fsm = new StateMachine {
    val Idle, Add, Done = new State
    setEntry(Idle)

    Idle.whenIsActive {
      for (i <- 0 until digits) rest(i) := incoming(i)
      v := incoming(digits - 1).resized
      sum := incoming((digits - 2).max(0)).resized
      left := (digits - 2).max(0)
      step := 0
      wait_ := 0
      when(io.in.valid)(goto(Add))
    }
    Add.whenIsActive {
      wait_ := wait_ + 1
      when(wait_ === added.cycle) {
        wait_ := 0
        step := step + 1
        when(step <= terms.size || !next.msb)(sum := next)
        if (terms.nonEmpty) when(step === terms.size - 1 && left =/= 0) {
          v := next
          sum := rest((left - 1).resized).resized
          left := left - 1
          step := 0
        }
        when(step === additions.size - 1)(goto(Done))
      }
    }
    Done.whenIsActive(when(io.out.ready)(goto(Idle)))
  }
  io.in.ready := fsm.isActive(fsm.Idle)
  io.out.valid := fsm.isActive(fsm.Done)
  io.out.payload := sum.resize(p.bitLength + 1).asBits
}
