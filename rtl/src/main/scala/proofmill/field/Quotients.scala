package proofmill.field

import proofmill.arith.{CarrySelect, Copies, Timing}
import proofmill.stream.{Port, StreamUnit}
import spinal.core._
import spinal.lib._
import spinal.lib.fsm._

/** Computes the two quotients of an ECDSA verification: u1 = z / s and u2 = r / s modulo n, for any z and r and any s that is
  * not 0 mod n.
  *
  * Plus-minus division (Brent and Kung, A systolic algorithm for integer GCD computation, 1985): f is odd; alpha and beta
  * bound |f| <= 2^alpha and |g| <= 2^beta. Initially f = n, g = s and alpha = beta = bits of n. Each cycle performs one of
  *
  * {{{
  *   g = 0 mod 4             g /= 4                                  beta -= 2
  *   g = 2 mod 4             g /= 2                                  beta -= 1
  *   g odd, alpha <= beta    g = (g ± f) / 4                         beta -= 1
  *   g odd, alpha >  beta    f = g, g = (g ± f) / 4, f the old one   alpha, beta = beta, alpha - 1
  * }}}
  *
  * with the sign that makes the division exact. Only beta - alpha is stored. alpha + beta decreases in every cycle, alpha is
  * never negative because f is not 0, and beta < 0 implies g = 0: at most 2 bits + 1 cycles (513 for secp256k1; 308 on
  * average). At the end f = ±1.
  *
  * Let f = d s and g = e s modulo n in every cycle; then d is ±1 / s at the end. Each of the two `Cofactors` starts with e =
  * z or e = r instead of 1, so that d becomes ±z / s or ±r / s without a multiplication. The cofactors lag two cycles behind.
  *
  *   1. Idle: accepts z, r, s.
  *   2. Run: the cycles above, until g = 0.
  *   3. Collect: e is a multiple of n by then; e ± d is the quotient, plus a multiple of n.
  *   4. Reduce, Settle: adds or subtracts n and keeps the result unless the quotient is already in [0, n); at most four times.
  *   5. Centre: replaces u1 by u1 - n if u1 uses all bits of n.
  *   6. Done: holds the result until it is accepted. u1 is a signed number with as many bits as n.
  *
  * Collect, Reduce and Centre take effect one cycle later, in the states Collected, Reduced and Centred.
  *
  * If s is 0 mod n, the result is arbitrary; the number of cycles keeps its bound.
  *
  * @param inverse only 1 / s is computed: there is one quotient, of 1, which is not centred
  */
class Quotients(n: BigInt, inverse: Boolean = false) extends StreamUnit {
  private lazy val bits = n.bitLength
  def operands: Seq[Port] = (if (inverse) Seq("s") else Seq("z", "r", "s")).map(Port(_, bits))
  def results: Seq[Port] = (if (inverse) Seq("inverse") else Seq("u1", "u2")).map(Port(_, bits))
  def latency: Option[Int] = None

  private val s = io.in.payload.takeHigh(bits)
  private val dividends =
    if (inverse) Seq(B(1, bits bits)) else io.in.payload.dropHigh(bits).subdivideIn(2 slices).toSeq
  val f, g = Reg(SInt(bits + 2 bits))
  val gap = Reg(SInt(log2Up(bits + 1) + 2 bits)) // beta - alpha
  val lanes = dividends.map { dividend =>
    val lane = new Cofactors(n)
    lane.io.value := dividend.asUInt
    lane
  }

  // The decision of a cycle, and the resulting f, g and gap.
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
      // Once g is 0, further cycles leave g and f unchanged.
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
      when(lanes.map(_.io.reduced).andR)(goto(if (inverse) Done else Centre)).otherwise(goto(Reduce))
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

/** The decision of one cycle: `use` adds f to g, `minus` subtracts it instead, `swap` sets f to the old g, `double` divides g
  * by 4 instead of 2.
  */
case class QuotientStep() extends Bundle {
  val use, minus, swap, double = Bool()
}

/** Applies the cycles of a division to d and e modulo n, and reduces the quotient to its range.
  *
  * It computes (e ± d + q n) / 4 instead of (e ± d) / 4 modulo n, with the q of -1, 0, 1, 2 that makes the division exact.
  * |d|, |e| <= M implies (2 M + 2 n) / 4 <= M for M >= n, so no value exceeds 2^bits, the bound of `value`.
  *
  * Except for `load` and `settle`, each command takes effect one cycle later: by then a register holds q, selected by the
  * next low bits of e and d.
  */
class Cofactors(n: BigInt, timing: Timing = Timing()) extends Component {
  private val bits = n.bitLength
  private val width = bits + 2
  val io = new Bundle {
    val load, run, collect, reduce, settle, centre = in Bool () // commands; at most one in a cycle
    val value = in UInt (bits bits) // dividend z or r, with `load`
    val step = in(QuotientStep()) // decision of the division, with `run`
    val minus = in Bool () // with `collect`: e - d instead of e + d
    val reduced = out Bool () // e is in [0, n); valid with `settle`, two cycles after `reduce`
    val quotient = out Bits (bits bits) // the quotient; valid when the division is done
  }
  val d, e = Reg(SInt(width bits))
  private val nextD, nextE = SInt(width bits)
  d := nextD
  e := nextE
  val use = (io.run && io.step.use) || io.collect
  val minus = io.collect ? io.minus | io.step.minus

  // q n: during a run selected by the low bits of e ± d, else by the sign of e.
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

  // The command in execution, and the selectors for each bit of the sum.
  private def now(bit: Bool) = RegNext(bit, init = False)
  private val Seq(run, collect, reduce, centre) = Seq(io.run, io.collect, io.reduce, io.centre).map(now)
  private val Seq(double, swap) = Seq(io.step.double, io.step.swap).map(RegNext(_))
  private val Seq(uses, minuses, chosenLow, chosenHigh) =
    Seq(use, minus, chosen(0), chosen(1)).map(Copies(_, width + 1, timing))

  // e ± d + q n: three words are compressed to two and added in one carry chain. The carry of the sign enters at the free lowest bit.
  private val words = new CofactorWords(multiples.map(_ * n), width)
  words.io.d := d
  words.io.e := e
  words.io.uses := uses.asBits
  words.io.minuses := minuses.asBits
  words.io.chosen := Vec(chosenLow.asBits, chosenHigh.asBits)
  private val total =
    CarrySelect(words.io.ones, (words.io.twos.dropHigh(1) ## (uses.head && minuses.head)).asSInt, False)

  io.reduced := !e.msb && d.msb
  private val centred = e(bits - 1) // n is subtracted if the top bit of n's width is set
  nextD := d
  nextE := e
  when(run)(nextE := (double ? (total |>> 2) | (total |>> 1)).resize(width))
  when(collect || (centre && centred))(nextE := total.resize(width))
  when(io.settle && !io.reduced)(nextE := d)
  when(run && swap)(nextD := e)
  when(reduce)(nextD := total.resize(width)) // d is no longer needed
  when(io.load) {
    nextE := io.value.intoSInt.resized
    nextD := 0
  }
  io.quotient := e.takeLow(bits)
}

/** A carry-save adder for e, optionally d or its complement, and a constant: their sum is `ones` + 2 `twos`. It is a module
  * of its own, so that each output bit is one function of its six inputs, independent of the logic that follows.
  */
private class CofactorWords(constants: Seq[BigInt], width: Int) extends Component {
  val io = new Bundle {
    val d, e = in(SInt(width bits)) // terms
    val uses, minuses = in(Bits(width + 1 bits)) // use d; use its complement
    val chosen = in(Vec.fill(2)(Bits(width + 1 bits))) // index of the constant, low bits first
    val ones, twos = out(SInt(width + 1 bits)) // the sum is `ones` + 2 `twos`
  }
  private def only(index: Int): SInt =
    Cat((0 to width).map(i => (io.chosen(1)(i) ## io.chosen(0)(i)).asUInt === index)).asSInt
  private val constant =
    constants.zipWithIndex.map { case (value, index) => S(value, width + 1 bits) & only(index) }.reduce(_ | _)
  private val term = (io.d.resize(width + 1) ^ io.minuses.asSInt) & io.uses.asSInt
  private val words = Seq(io.e.resize(width + 1), term, constant)
  io.ones := words.reduce(_ ^ _)
  io.twos := words.combinations(2).map { case Seq(a, b) => a & b }.reduce(_ | _)
}
