package proofmill.field

import proofmill.stream.{Port, StreamUnit}
import spinal.core._
import spinal.lib._

/** Converts an integer below p to a residue's digits within `bound`: the sum of the digits of 2^i for all set bits i, eight
  * bits each cycle, followed by a reduction.
  *
  *   1. Idle: accepts an integer.
  *   2. Add: the table row of the next eight bits is read one cycle after its address; one cycle later its sum is valid,
  *      and another cycle later it is added to the total.
  *   3. Reduce: waits for the result of the reduction, and holds it until it is accepted.
  */
class ResidueEncoder(arithmetic: Arithmetic, bound: Bound) extends StreamUnit {
  import ResidueEncoder._
  import arithmetic.{digits, field, reduceLatency, reducible}
  def operands: Seq[Port] = Seq(Port("value", field.bits))
  def results: Seq[Port] = Seq(arithmetic.port("residue", bound))
  def latency: Option[Int] = None

  private val steps = (field.bits + bitsPerCycle - 1) / bitsPerCycle
  private val digitBits = bound.width
  private val rows = (0 until steps).map { step =>
    val powers = (0 until bitsPerCycle).map(j => field.residue(BigInt(1) << (step * bitsPerCycle + j)))
    val row = powers.map(arithmetic.word(_, bound)).foldRight(BigInt(0))((word, above) =>
      (above << digits * digitBits) + word
    )
    B(row, bitsPerCycle * digits * digitBits bits)
  }
  private val table = Mem(Bits(bitsPerCycle * digits * digitBits bits), rows)
  require(arithmetic.product.within(Bound(reducible.low / field.bits, reducible.high / field.bits)))

  private val busy = RegInit(False)
  private val rest = Reg(Bits(steps * bitsPerCycle bits))
  private val total = Vec(Seq.fill(digits)(Reg(SInt(reducible.width bits))))
  private val end = steps + reduceLatency + 3
  private val step = Reg(UInt(log2Up(end + 1) bits))
  private val row = table.readSync(step.resize(log2Up(steps)))
  private val now = RegNext(rest.takeLow(bitsPerCycle))
  private val each = row.subdivideIn(bitsPerCycle slices).map(_.subdivideIn(digits slices).map(_.asSInt).toSeq).toSeq
  private val counted = RegNext(busy && step < steps, init = False)

  io.in.ready := !busy
  when(io.in.fire) {
    busy := True
    rest := io.in.payload.resized
    step := 0
    total.foreach(_ := 0)
  }
  when(busy) {
    rest := (rest >> bitsPerCycle).resized
    when(step =/= end)(step := step + 1)
  }
  for (i <- 0 until digits) {
    val terms = each.zipWithIndex.map { case (digit, j) => digit(i).andMask(now(j)).resize(reducible.width) }
    val sum = RegNext(terms.reduceBalancedTree(_ + _).andMask(counted))
    when(busy)(total(i) := total(i) + sum)
  }
  io.out.valid := busy && step === end
  io.out.payload := arithmetic.reduce(Residue(Cat(total.map(_.asBits)), digits, reducible, 0)).bits(
    reduceLatency,
    bound
  )
  when(io.out.fire)(busy := False)
}

object ResidueEncoder { private val bitsPerCycle = 8 }
