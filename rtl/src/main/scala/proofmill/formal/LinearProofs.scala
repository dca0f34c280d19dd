package proofmill.formal

import proofmill.arith._
import proofmill.field.{Canonical, Divide, Number, Quotients, Tempo}
import proofmill.spec.Field
import proofmill.stream.Port
import spinal.core._
import spinal.lib._

/** Proofs of blocks without control, or with so little that one job covers all behaviour: they compute the specified
  * function.
  *
  * Registers without a reset value begin with any value, so a property of the first `cycles` cycles holds in all cycles.
  */
abstract class LinearProof extends Component with Proof {
  private val age = Reg(UInt(10 bits)) init 0
  age := age + 1
  protected def from(cycle: Int): Bool = age >= cycle
}

/** A sum of weighted integers. */
class SumProof(terms: Seq[(Bound, BigInt)]) extends LinearProof {
  private val result = terms.map { case (bound, weight) => bound * weight }.reduce(_ + _)
  private val latency = Sum.latency(terms, result)
  override def cycles: Option[Int] = Some(latency + 1)
  val dut = new SumUnit(terms, result, Pace())
  val right = dut.terms
    .map(freeInput(_))
    .zip(terms)
    .map { case (value, (_, weight)) => (value * S(weight)).resize(result.width) }
    .reduce(_ + _)
  assert(!from(latency) || dut.sum === Delay(right, latency), "the sum")
}

/** Constants selected by an index, alone and added to a number. */
class ConstantTableProof(words: Seq[BigInt], sum: Bound) extends LinearProof {
  override def cycles: Option[Int] = Some(2)
  val index = in(UInt(log2Up(words.size) bits))
  val number = in(SInt(sum.width bits))
  private val total = sum + ConstantTable.bound(words)
  val word = Vec(words.map(S(_, total.width bits)))(index)
  private def there(value: SInt) = value.resize(total.width)
  assert(there(ConstantTable.now(words, Timed(index, 0)).value) === word, "the word in its index's cycle")
  assert(!from(1) || there(ConstantTable(words, Timed(index, 0)).value) === RegNext(word), "a cycle later")
  val added = ConstantTable.add(words, Timed(index, 0), Timed(number, 0), total).value
  assert(!from(1) || added === RegNext(number.resize(total.width) + word), "the sum with a number")
}

/** A carry-select sum. */
class CarrySelectProof(width: Int, part: Int) extends LinearProof {
  override def cycles: Option[Int] = Some(1)
  val a, b = in(SInt(width bits))
  val carry = in(Bool())
  val sum = CarrySelect(a, b, carry, longest = part, part)
  assert(sum.asUInt === a.asUInt + b.asUInt + carry.asUInt, "the sum")
}

/** x = r + q z, and r is within its bound. */
class DivideProof(bits: Int, z: BigInt) extends LinearProof {
  private val divide = Divide(z, Tempo())
  val x = in(SInt(bits bits))
  private val Seq(r, q) = divide.build(Seq(Number(Timed(x, 0), Bound.signed(bits))))
  private val latency = r.value.cycle max q.value.cycle
  override def cycles: Option[Int] = Some(latency + 1)
  private val width = bits + 2
  private def at(number: Number): SInt = number.value.at(latency).resize(width)
  assert(!from(latency) || at(r) + (at(q) * S(z)).resize(width) === Delay(x, latency).resize(width), "x = r + q z")
  assert(!from(latency) || (at(r) >= r.bound.low && at(r) <= r.bound.high), "r is within its bound")
}

/** A least residue. */
class CanonicalProof(residue: Port) extends LinearProof {
  import residue.{base, digits}
  private val p = Field(residue.field.get).modulus
  private val bound = Bound(residue.low, residue.high)
  private val within = Canonical.cycles(residue)
  override def cycles: Option[Int] = Some(within + 1)
  val dut = new Canonical(residue)
  val input = freeSource(dut.io.in)
  val output = freeSink(dut.io.out)
  private val given = input.payload.subdivideIn(digits slices).map(_.asSInt)
  for (digit <- given) assume(digit >= bound.low && digit <= bound.high)
  val taken = RegInit(False) setWhen input.fire
  assume(taken || input.valid)
  private val whole = Seq.fill(digits)(bound).reduceLeft((value, digit) => value * base + digit)
  private val width = whole.width + 1
  private val value =
    given.reverse.map(_.resize(width)).reduceLeft((value, digit) => (value * S(base)).resize(width) + digit)
  private def least(value: SInt): SInt = {
    val rest = (value % S(p)).resize(width)
    (rest < 0) ? (rest + S(p, width bits)) | rest
  }
  val expected = RegNextWhen(least(value), input.fire)
  val result = output.payload.asUInt
  assert(!output.valid || result.intoSInt.resize(width) === expected, "the least residue")
  val done = RegInit(False) setWhen output.valid
  assert(!from(within) || done || output.valid, "in time")
}

/** Two quotients modulo n, within their intervals and a bounded time. */
class QuotientsProof(n: BigInt, within: Int) extends LinearProof {
  private val bits = n.bitLength
  override def cycles: Option[Int] = Some(within + 1)
  val dut = new Quotients(n)
  val input = freeSource(dut.io.in)
  val output = freeSink(dut.io.out)
  private def modulo(value: UInt): UInt = (value % U(n)).resize(bits)
  private val Seq(z, r, s) = input.payload.subdivideIn(3 slices).map(word => RegNextWhen(word.asUInt, input.fire)).toSeq
  val taken = RegInit(False) setWhen input.fire
  assume(taken || input.valid)
  assume(!input.valid || input.payload.takeHigh(bits).asUInt =/= 0)
  assume(!input.valid || input.payload.takeHigh(bits).asUInt < n)
  private val Seq(u1, u2) = output.payload.subdivideIn(2 slices).map(_.asUInt).toSeq
  private val positive = u1.asSInt.resize(bits + 2) + (u1.msb ? S(n, bits + 2 bits) | S(0, bits + 2 bits))
  assert(!output.valid || (u2 < n && modulo(u2 * s) === modulo(r)), "u2 = r / s")
  assert(
    !output.valid || modulo(positive.asUInt.resize(bits + 1) * s) === modulo(z),
    "u1 = z / s, n less if its top bit is set"
  )
  val done = RegInit(False) setWhen output.valid
  assert(!from(within) || done || output.valid, "in time")
}
