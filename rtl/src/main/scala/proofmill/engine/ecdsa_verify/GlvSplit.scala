package proofmill.engine.ecdsa_verify

import proofmill.arith.{ConstantTable, Timed}
import proofmill.stream.{Port, StreamUnit}
import spinal.core._
import spinal.lib._
import spinal.lib.fsm._

/** Splits u2 into two halves: k1 + k2 lambda = u2 modulo n.
  *
  * {{{
  *   (c1, c2) = ((u2 >> drop) multiplier + 2^(shift-1)) >> shift     for either multiplier
  *   (k1, k2) = (u2, 0) - c1 (a1, b1) - c2 (a2, b2)                  modulo 2^(6 places) > 2^(halfBits + 1)
  * }}}
  *
  * All products are by constants, a few bits per cycle from the lowest on: an entry of a table of the constant's multiples, one LUT6 per bit, is added to
  * a sum that is shifted down.
  *
  *   1. Idle: accepts u2.
  *   2. Quotients: 6 bits of u2 per cycle; the bits that are shifted out are discarded.
  *   3. Halves: 3 bits of c1 and 3 of c2 per cycle; the bits that are shifted out are those of k1 and k2.
  *   4. Done: offers the halves.
  *
  * 22, 44 and 1 cycles for secp256k1. u2 may be any number of as many bits as n has.
  */
class GlvSplit(plan: ScalarPlan) extends StreamUnit {
  import ScalarPlan.digit
  private def part = digit / 2 // bits of either quotient in each cycle

  /** Bits of a half with its sign: a multiple of the digit that also holds the quotients. */
  lazy val halfBits: Int =
    ((plan.halfBits + 1) max plan.quotientBits max (plan.bits - plan.drop)) / digit * digit + digit
  def operands: Seq[Port] = Seq(Port("u2", plan.bits))
  def results: Seq[Port] = Seq("k1", "k2").map(Port(_, halfBits))
  def latency: Option[Int] = None

  private val u2 = io.in.payload
  val count = Reg(UInt(log2Up(halfBits / part) bits))
  val high = Reg(Bits(plan.digits * digit bits))

  /** Returns the words' multiple by an index: wires and one LUT6 for each bit. */
  private def table(words: Seq[BigInt], index: Bits): SInt = ConstantTable.now(words, Timed(index.asUInt, 0)).value

  // Sums for the quotients; their initial value rounds. In state Halves they are only shifted.
  val quotients = plan.multipliers.map { multiplier =>
    val multiples = (0 until 1 << digit).map(_ * multiplier)
    val sum = Reg(UInt(ConstantTable.bound(multiples).width bits))
    (sum, ((sum +^ table(multiples, high.takeLow(digit)).asUInt.resize(sum.getWidth)) >> digit).resize(sum.getWidth))
  }
  private val parts = Cat(quotients.map { case (sum, _) => sum(plan.shift - digit * plan.digits, part bits) })

  // Sums for the halves; the bits that are shifted out are collected.
  private val vectors = plan.basis.map(_._1) -> plan.basis.map(_._2)
  val halves = Seq(vectors._1, vectors._2).map { components =>
    val multiples = (0 until 1 << digit).map { index =>
      -components(0) * (index & ((1 << part) - 1)) - components(1) * (index >> part)
    }
    val sum = Reg(SInt(halfBits + part + 1 bits))
    (sum, sum + table(multiples, parts).resize(sum.getWidth))
  }
  val collected = halves.map(_ => Reg(Bits(halfBits bits)))

  io.in.ready := False
  io.out.valid := False
  io.out.payload := Cat(collected)

  val fsm = new StateMachine {
    val Idle, Quotients, Halves, Done = new State
    setEntry(Idle)
    Idle.whenIsActive {
      io.in.ready := True
      count := 0
      high := u2.dropLow(plan.drop).resized
      for ((sum, _) <- quotients) sum := BigInt(1) << (plan.shift - 1)
      halves(0)._1 := u2.resize(halfBits).asSInt.resized
      halves(1)._1 := 0
      when(io.in.valid)(goto(Quotients))
    }
    Quotients.whenIsActive {
      high := high |>> digit
      for ((sum, next) <- quotients) sum := next
      count := count + 1
      when(count === plan.digits - 1) {
        count := 0
        goto(Halves)
      }
    }
    Halves.whenIsActive {
      for ((sum, _) <- quotients) sum := sum |>> part
      for (((sum, total), out) <- halves.zip(collected)) {
        sum := (total >> part).resized
        out := total.takeLow(part) ## out.dropLow(part)
      }
      count := count + 1
      when(count === halfBits / part - 1)(goto(Done))
    }
    Done.whenIsActive {
      io.out.valid := True
      when(io.out.ready)(goto(Idle))
    }
  }
}
