package proofmill.micro

import proofmill.arith.NonAdjacent
import proofmill.field.{Arithmetic, Bound}
import spinal.core._
import spinal.lib._

/** Residues as canonical integers, one after the other: an exact, small and slow unit for zero tests and results.
  *
  * 1. Idle: chooses the oldest context that waits.
  * 2. Take: its residue.
  * 3. Horner: the digits become one integer; steps add the integer so far, shifted by one signed bit of the base each.
  * 4. Lift: a multiple of p makes it at least 0.
  * 5. Divide: multiples 2^steps p, …, 2 p, p are subtracted where they can be; what is left is the answer. A long difference is looked at a
  *    cycle later.
  */
class Canonical(arithmetic: Arithmetic, contexts: Int) extends Component {
  import Canonical._
  private val plan = Plan(arithmetic)
  private val p = arithmetic.field.modulus
  private val digit = arithmetic.reduced.width
  private val places = WordFormat.linear("dst").bits

  val io = new Bundle {
    val request = slave(Flow(CanonicalRequest(contexts, arithmetic.digits * digit, places)))
    val fromOldest = in(Bits(contexts bits)) // the contexts whose number is the oldest one's or above
    val answer = master(Flow(CanonicalAnswer(contexts, arithmetic.field.bits, places)))
  }

  private val residues = Mem(Bits(arithmetic.digits * digit bits), contexts)
  private val destinations = Mem(UInt(places bits), contexts)
  private val waiting = Reg(Bits(contexts bits)) init 0
  residues.write(io.request.context, io.request.residue, io.request.valid)
  destinations.write(io.request.context, io.request.place, io.request.valid)

  private val idle :: take :: horner :: lift :: divide :: done :: Nil = List.tabulate(6)(i => U(i, 3 bits))
  private val state = Reg(UInt(3 bits)) init 0
  private val context = Reg(UInt(log2Up(contexts) bits))
  private val value = Reg(SInt(plan.width bits))
  private val rest = Reg(Bits(arithmetic.digits * digit bits))
  private val step = Reg(UInt(log2Up(plan.longest + 1) bits))
  private val left = Reg(UInt(log2Up(arithmetic.digits + 1) bits))

  private val choice = new Choice(contexts)
  choice.io.ready := waiting
  choice.io.later := waiting & io.fromOldest
  private val chosen = RegNextWhen(choice.io.chosen, state === idle) init 0
  private val chosenContext = OHToUInt(chosen)
  private val loaded = residues.readAsync(chosenContext)
  waiting := (waiting & ~((state === take) ? chosen | B(0, contexts bits))) |
    (io.request.valid ? UIntToOh(io.request.context, contexts) | B(0, contexts bits))

  /** The sum of two and a carry, which enters where carries begin. */
  private def sum(a: SInt, b: SInt, carry: Bool): SInt = ((a @@ True) + (b @@ carry)).dropLow(1).asSInt
  private val difference = value - S((p << plan.steps), plan.width bits)
  private val reduced = if (plan.isLong) RegNext(difference) else difference
  step := step + 1
  switch(state) {
    is(idle)(when(waiting.orR)(state := take))
    is(take) {
      context := chosenContext
      value := loaded.takeHigh(digit).asSInt.resize(plan.width)
      rest := (loaded << digit).resize(rest.getWidth)
      left := arithmetic.digits - 1
      step := 0
      state := (if (arithmetic.digits > 1) horner else lift)
    }
    if (arithmetic.digits > 1) is(horner) {
      // What a step adds is chosen in the step before it.
      val total = Reg(SInt(plan.width bits))
      val top = rest.takeHigh(digit).asSInt.resize(plan.width)
      val (shifted, minus) = plan.signedShift(value, step)
      val nextTotal = sum(total, RegNext(shifted ^ S(plan.width bits, default -> minus)), RegNext(minus))
      total := (step === 0) ? top | nextTotal
      when(step === plan.base.size) {
        value := nextTotal
        rest := (rest << digit).resize(rest.getWidth)
        left := left - 1
        step := 0
        when(left === 1)(state := lift)
      }
    }
    is(lift) {
      value := value + S(p << plan.steps, plan.width bits)
      step := 0
      state := divide
    }
    is(divide) {
      when(if (plan.isLong) step.lsb else True)(value := ((reduced.msb ? value | reduced) << 1).resize(plan.width))
      when(step === plan.divisions - 1)(state := done)
    }
    is(done)(state := idle)
  }

  io.answer.valid := state === done
  io.answer.context := context
  io.answer.place := destinations.readAsync(context)
  io.answer.value := value(plan.steps + 1, arithmetic.field.bits bits).asBits
}

object Canonical {

  /** @param base the base as signed shifts; @param steps the integer is within 2^steps p of 0 */
  case class Plan(base: Seq[(Int, Boolean)], steps: Int, width: Int) {
    val longest: Int = (base.size + 1).max(divisions)

    /** Is a sum and the choice that its sign makes too much for a cycle? */
    def isLong: Boolean = width > 320

    /** Cycles of the division. */
    def divisions: Int = (steps + 1) * (if (isLong) 2 else 1)

    /** The value shifted by the bit of the base that `step` names, and whether that is subtracted. */
    def signedShift(value: SInt, step: UInt): (SInt, Bool) = {
      val ways = base.zipWithIndex.map { case ((shift, minus), i) =>
        (step === i, (value << shift).resize(width).asBits, minus)
      }
      val shifted = ways.map { case (now, bits, _) => bits.andMask(now) }.reduceBalancedTree(_ | _)
      (shifted.asSInt, ways.collect { case (now, _, true) => now }.foldLeft(False: Bool)(_ || _))
    }
  }

  object Plan {
    def apply(arithmetic: Arithmetic): Plan = {
      val base = if (arithmetic.digits == 1) Seq.empty else NonAdjacent(arithmetic.base)
      val bounds = Seq.fill(arithmetic.digits)(arithmetic.reduced)
      val whole = bounds.reduce((high, low) => times(high, arithmetic.base) + low)
      val steps = Iterator.from(0).find(s => whole.within(Bound.magnitude((arithmetic.field.modulus << s) - 1))).get
      // Horner's partial sums can exceed the whole by the lower shifts of one step.
      Plan(base, steps, arithmetic.field.bits + steps + 4)
    }
    private def times(bound: Bound, k: BigInt) = {
      val ends = Seq(bound.low * k, bound.high * k)
      Bound(ends.min, ends.max)
    }
  }

  /** Cycles from the one in which a residue is chosen to the one in which its answer is there. */
  def latency(arithmetic: Arithmetic): Int = {
    val plan = Plan(arithmetic)
    (arithmetic.digits - 1) * (plan.base.size + 1) + plan.divisions + 3
  }
}

case class CanonicalRequest(contexts: Int, residueBits: Int, placeBits: Int) extends Bundle {
  val context = UInt(log2Up(contexts) bits)
  val residue = Bits(residueBits bits)
  val place = UInt(placeBits bits)
}

case class CanonicalAnswer(contexts: Int, bits: Int, placeBits: Int) extends Bundle {
  val context = UInt(log2Up(contexts) bits)
  val value = Bits(bits bits)
  val place = UInt(placeBits bits)
}
