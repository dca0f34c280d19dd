package proofmill.field

import proofmill.arith.{CarrySelect, Copies, Timing}
import proofmill.stream.{Port, StreamUnit}
import spinal.core._
import spinal.lib._
import spinal.lib.fsm._

/** Two quotients, those of an ECDSA verification: u1 = z / s and u2 = r / s modulo n, for any z and r and any s that is not 0 mod n.
  *
  * Plus-minus division (Brent and Kung, A systolic algorithm for integer GCD computation, 1985): f is odd, alpha and beta say
  * |f| <= 2^alpha and |g| <= 2^beta, at first f = n, g = s and alpha = beta = bits of n. A cycle is one of
  *
  * {{{
  *   g = 0 mod 4             g /= 4                                  beta -= 2
  *   g = 2 mod 4             g /= 2                                  beta -= 1
  *   g odd, alpha <= beta    g = (g ± f) / 4                         beta -= 1
  *   g odd, alpha >  beta    f = g, g = (g ± f) / 4, f the old one   alpha, beta = beta, alpha - 1
  * }}}
  *
  * with the sign that makes the division exact. Only beta - alpha matters. alpha + beta falls in every cycle, alpha is never
  * negative because f is not 0, and beta < 0 means g = 0: at most 2 bits + 1 cycles (513 for secp256k1; 308 on average). At the end f = ±1.
  *
  * With f = d s and g = e s modulo n all the while, d at the end is ±1 / s. Here each `Cofactors` begins with e = z, e = r instead of 1,
  * so that d becomes ±z / s, ±r / s without a multiplication. They follow two cycles later.
  *
  *   1. Idle: takes z, r, s.
  *   2. Run: the cycles above, until g = 0.
  *   3. Collect: e is a multiple of n by then; e ± d is the quotient, plus a multiple of n.
  *   4. Reduce, Settle: adds or subtracts n, and takes that unless the quotient is in [0, n): at most four times.
  *   5. Centre: u1 - n instead of u1 where u1 has all bits of n.
  *   6. Done: until the result is taken. u1 is a signed number of as many bits as n has.
  *
  * What Collect, Reduce and Centre ask for is done a cycle later: in Collected, Reduced and Centred.
  *
  * If s is 0 mod n the result is any number; the cycles keep their bound.
  */
class Quotients(n: BigInt) extends StreamUnit {
  private lazy val bits = n.bitLength
  def operands: Seq[Port] = Seq("z", "r", "s").map(Port(_, bits))
  def results: Seq[Port] = Seq("u1", "u2").map(Port(_, bits))
  def latency: Option[Int] = None

  private val Seq(z, r, s) = io.in.payload.subdivideIn(3 slices).toSeq
  val f, g = Reg(SInt(bits + 2 bits))
  val gap = Reg(SInt(log2Up(bits + 1) + 2 bits)) // beta - alpha
  val lanes = Seq(z, r).map { dividend =>
    val lane = new Cofactors(n)
    lane.io.value := dividend.asUInt
    lane
  }

  // A cycle's decision, and what it makes of f, g and the gap.
  val odd = g(0)
  val step = QuotientStep()
  step.use := odd
  step.minus := f(1) === g(1) // f + g = 0 mod 4 else
  step.swap := odd && gap < 0
  step.double := odd || !g(1)
  private val signed = f ^ S(f.getWidth bits, default -> step.minus)
  private val total = CarrySelect(g, odd ? signed | S(0, f.getWidth bits), odd && step.minus)

  val run = RegInit(False)
  run := False
  val decided = RegNext(step)
  for (lane <- lanes) {
    lane.io.run := run
    lane.io.step := decided
    lane.io.load := io.in.fire
    lane.io.collect := False
    lane.io.reduce := False
    lane.io.settle := False
    lane.io.centre := False
    lane.io.minus := f.msb
  }
  io.in.ready := False
  io.out.valid := False
  io.out.payload := Cat(lanes.map(_.io.quotient))

  val fsm = new StateMachine {
    val Idle, Run, Collect, Collected, Reduce, Reduced, Settle, Centre, Centred, Done = new State
    setEntry(Idle)
    Idle.whenIsActive {
      io.in.ready := True
      f := S(n, bits + 2 bits)
      g := s.asUInt.intoSInt.resized
      gap := 0
      when(io.in.valid)(goto(Run))
    }
    Run.whenIsActive {
      // Once g is 0 the cycle leaves g and f as they are.
      g := (step.double ? (total |>> 2) | (total |>> 1)).resized
      when(step.swap)(f := g)
      val less = step.use.asUInt.mux(0 -> (step.double ? S(-2) | S(-1)), default -> S(-1, 2 bits))
      gap := (step.swap ? ~gap | gap + less.resized)
      run := g =/= 0
      when(g === 0)(goto(Collect))
    }
    Collect.whenIsActive {
      lanes.foreach(_.io.collect := True)
      goto(Collected)
    }
    Collected.whenIsActive(goto(Reduce))
    Reduce.whenIsActive {
      lanes.foreach(_.io.reduce := True)
      goto(Reduced)
    }
    Reduced.whenIsActive(goto(Settle))
    Settle.whenIsActive {
      lanes.foreach(_.io.settle := True)
      when(lanes.map(_.io.reduced).andR)(goto(Centre)).otherwise(goto(Reduce))
    }
    Centre.whenIsActive {
      lanes.head.io.centre := True
      goto(Centred)
    }
    Centred.whenIsActive(goto(Done))
    Done.whenIsActive {
      io.out.valid := True
      when(io.out.ready)(goto(Idle))
    }
  }
}

/** What a cycle does: adds f to g, or subtracts it; f becomes the old g; g is divided by 4 rather than 2. */
case class QuotientStep() extends Bundle {
  val use, minus, swap, double = Bool()
}

/** Follows a division's cycles on d and e modulo n, and brings the quotient into its range.
  *
  * Instead of (e ± d) / 4 modulo n it takes (e ± d + q n) / 4 with the q of -1, 0, 1, 2 that makes it exact. From |d|, |e| <= M
  * follows (2 M + 2 n) / 4 <= M for M >= n, so nothing ever grows beyond 2^bits, which is what `value` is below.
  *
  * What is asked for is done a cycle later, but `load` and `settle`: by then q stands in a register, chosen by the low bits that e and d are
  * about to have.
  */
class Cofactors(n: BigInt, timing: Timing = Timing()) extends Component {
  private val bits = n.bitLength
  private val width = bits + 2
  val io = new Bundle {
    val load, run, collect, reduce, settle, centre = in Bool () // at most one of them
    val value = in UInt (bits bits)
    val step = in(QuotientStep())
    val minus = in Bool () // collect e - d, not e + d
    val reduced = out Bool () // e is in [0, n); asked with `settle`, two cycles after `reduce`
    val quotient = out Bits (bits bits)
  }
  val d, e = Reg(SInt(width bits))
  private val nextD, nextE = SInt(width bits)
  d := nextD
  e := nextE
  val use = (io.run && io.step.use) || io.collect
  val minus = io.collect ? io.minus | io.step.minus

  // q n: in a run by the low bits of e ± d, else by the sign of e.
  private val negated = nextD(1 downto 0) ^ S(2 bits, default -> minus)
  private val low =
    (nextE(1 downto 0).asUInt + (use ? negated.asUInt | U(0, 2 bits)) + (use && minus).asUInt.resize(2))
  private val multiples = Seq(0, 1, 2, -1)
  private def exact(bits: Int) = Vec((0 until 4).map { low =>
    val mask = (1 << bits) - 1
    U(multiples.indexWhere(q => ((low + q * n) & mask) == 0), 2 bits)
  })(low)
  private val once = U(multiples.indexOf(1), 2 bits)
  private val less = U(multiples.indexOf(-1), 2 bits)
  private val chosen = UInt(2 bits)
  chosen := multiples.indexOf(0)
  when(io.run)(chosen := io.step.double ? exact(2) | exact(1))
  when(io.reduce)(chosen := e.msb ? once | less)
  when(io.centre)(chosen := less)

  // What is done now, and what chooses for each bit of the sum.
  private def now(bit: Bool) = RegNext(bit, init = False)
  private val Seq(run, collect, reduce, centre) = Seq(io.run, io.collect, io.reduce, io.centre).map(now)
  private val Seq(double, swap) = Seq(io.step.double, io.step.swap).map(RegNext(_))
  private val Seq(uses, minuses, chosenLow, chosenHigh) =
    Seq(use, minus, chosen(0), chosen(1)).map(Copies(_, width + 1, timing))
  private def only(index: Int): SInt =
    Cat(chosenLow.zip(chosenHigh).map { case (low, high) => (high ## low).asUInt === index }).asSInt
  private val multiple =
    multiples.zipWithIndex.map { case (q, index) => S(q * n, width + 1 bits) & only(index) }.reduce(_ | _)

  // e ± d + q n: three words into two, then one carry chain, whose free lowest place takes the sign's carry.
  private val term = (d.resize(width + 1) ^ minuses.asBits.asSInt) & uses.asBits.asSInt
  private val words = Seq(e.resize(width + 1), term, multiple)
  private val ones = words.reduce(_ ^ _)
  private val twos = words.combinations(2).map { case Seq(a, b) => a & b }.reduce(_ | _)
  private val total = CarrySelect(ones, (twos.dropHigh(1) ## (uses.head && minuses.head)).asSInt, False)

  io.reduced := !e.msb && d.msb
  private val centred = e(bits - 1) // as many bits as n: n is subtracted
  nextD := d
  nextE := e
  when(run)(nextE := (double ? (total |>> 2) | (total |>> 1)).resize(width))
  when(collect || (centre && centred))(nextE := total.resize(width))
  when(io.settle && !io.reduced)(nextE := d)
  when(run && swap)(nextD := e)
  when(reduce)(nextD := total.resize(width)) // d has done its part
  when(io.load) {
    nextE := io.value.intoSInt.resized
    nextD := 0
  }
  io.quotient := e.takeLow(bits)
}
