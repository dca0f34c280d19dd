package proofmill.field

import proofmill.arith.NonAdjacent
import proofmill.spec.Field
import proofmill.stream.{Port, StreamUnit}
import spinal.core._
import spinal.lib._

/** Converts a residue's digits to the least residue, 0 to p - 1, of the integer that they represent, times the form's `scale`
  * (Montgomery residues are multiplied by 1 first). For output ports and zero tests: small and exact, one residue at a time.
  *
  *   1. Idle: accepts a residue; the highest digit is the initial value.
  *   2. Horner: v = z v + d(i) for each further digit, with one addition for each signed binary digit of z.
  *   3. Lift: adds a multiple of p that makes v non-negative.
  *   4. Divide: subtracts the multiples 2^steps p, …, 2 p, p where the difference is not negative; the remainder is the
  *      result. The sign of a long difference is evaluated one cycle later.
  *   5. Done: holds the result until it is accepted.
  */
class Canonical(residue: Port) extends StreamUnit {
  import residue.{digits, width}
  private lazy val plan = Canonical.Plan(residue)
  import plan.p

  def operands: Seq[Port] = Seq(residue)
  def results: Seq[Port] = Seq(Port("result", p.bitLength + 1, 1, residue.field, 0, residue.scale, 0, p - 1))
  def latency: Option[Int] = None

  private object State extends SpinalEnum(binarySequential) {
    val Idle, Horner, Lift, Divide, Done = newElement()
  }
  private val state = RegInit(State.Idle)
  private val value = Reg(SInt(plan.width bits))
  private val rest = Reg(Bits(residue.bits bits)) // remaining digits, highest on top
  private val step = Reg(UInt(log2Up(plan.longest + 1) bits))
  private val left = Reg(UInt(log2Up(digits + 1) bits))
  private def top(digits: Bits): SInt = digits.takeHigh(width).asSInt.resize(plan.width)
  private def below(digits: Bits): Bits = (digits << width).resize(residue.bits)

  /** One addition of Horner's rule. Its addend is selected in the step before. The carry of a subtraction enters at the
    * lowest bit.
    */
  private val horner = (digits > 1) generate new Area {
    val (shifted, minus) = plan.signedShift(value, step)
    val addend = RegNext(shifted ^ S(plan.width bits, default -> minus))
    val carry = RegNext(minus)
    val total = Reg(SInt(plan.width bits))
    val sum = ((total @@ True) + (addend @@ carry)).dropLow(1).asSInt
    total := (step === 0) ? top(rest) | sum
  }

  private val multiple = S(p << plan.steps, plan.width bits)
  private val difference = value - multiple
  private val reduced = if (plan.isLong) RegNext(difference) else difference
  private val isLess = reduced.msb // than the multiple

  step := step + 1
  switch(state) {
    is(State.Idle) {
      value := top(io.in.payload)
      rest := below(io.in.payload)
      left := digits - 1
      step := 0
      when(io.in.valid)(state := (if (digits > 1) State.Horner else State.Lift))
    }
    if (digits > 1) is(State.Horner) {
      when(step === plan.base.size) {
        value := horner.sum
        rest := below(rest)
        left := left - 1
        step := 0
        when(left === 1)(state := State.Lift)
      }
    }
    is(State.Lift) {
      value := value + multiple
      step := 0
      state := State.Divide
    }
    is(State.Divide) {
      when(if (plan.isLong) step.lsb else True)(value := ((isLess ? value | reduced) << 1).resize(plan.width))
      when(step === plan.divisions - 1)(state := State.Done)
    }
    is(State.Done)(when(io.out.ready)(state := State.Idle))
  }

  io.in.ready := state === State.Idle
  io.out.valid := state === State.Done
  io.out.payload := value(plan.steps + 1, p.bitLength bits).asBits.resized
}

object Canonical {

  /** Returns the cycles from the acceptance of a residue to the cycle in which the result is valid. */
  def cycles(residue: Port): Int = {
    val plan = Plan(residue)
    (residue.digits - 1) * (plan.base.size + 1) + plan.divisions + 2
  }

  /** @param base the base as signed shifts; @param steps the integer is within 2^steps p of 0 */
  private case class Plan(p: BigInt, base: Seq[(Int, Boolean)], steps: Int, width: Int) {
    val longest: Int = (base.size + 1).max(divisions)

    /** Returns whether a sum and the selection by its sign take more than one cycle. */
    def isLong: Boolean = width > 320

    /** Cycles of the division. */
    def divisions: Int = (steps + 1) * (if (isLong) 2 else 1)

    /** Returns the value shifted by the digit of the base with index `step`, and whether it is subtracted. */
    def signedShift(value: SInt, step: UInt): (SInt, Bool) = {
      val ways = base.zipWithIndex.map { case ((shift, minus), i) =>
        (step === i, (value << shift).resize(width).asBits, minus)
      }
      val shifted = ways.map { case (now, bits, _) => bits.andMask(now) }.reduceBalancedTree(_ | _)
      (shifted.asSInt, ways.collect { case (now, _, true) => now }.foldLeft(False: Bool)(_ || _))
    }
  }

  private object Plan {
    def apply(residue: Port): Plan = {
      val p = Field(residue.field.getOrElse(sys.error(s"${residue.name} is no residue"))).modulus
      val digit = Bound(residue.low, residue.high)
      val base = NonAdjacent(residue.base)
      val integers = Seq.iterate(digit, residue.digits)(_ * residue.base + digit) // after each digit
      val sums = integers.init.flatMap(v =>
        base.scanLeft(digit) { case (sum, (shift, minus)) =>
          val term = v * (BigInt(1) << shift)
          if (minus) sum - term else sum + term
        }
      )
      val steps = Iterator.from(0).find(s => integers.last.within(Bound.magnitude((p << s) - 1))).get
      val lifted = Bound.magnitude(p << (steps + 1))
      Plan(p, base, steps, (sums ++ integers :+ lifted).map(_.width).max)
    }
  }
}
