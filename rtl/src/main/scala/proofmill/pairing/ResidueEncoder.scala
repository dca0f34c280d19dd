package proofmill.pairing

import spinal.core._
import spinal.lib._

/** Converts an integer to a residue's digits: the sum of the digits of 2^i for all set bits i, eight bits each cycle,
  * followed by a reduction.
  *
  *   1. Idle: accepts an integer.
  *   2. Add: the table row of the next eight bits is read one cycle after its address; one cycle later its sum is valid,
  *      and another cycle later it is added to the total.
  *   3. Reduce: waits for the result of the reduction, and holds it until it is accepted.
  */
class ResidueEncoder[T <: Data](arithmetic: Fp2Arithmetic, tag: HardType[T]) extends Component {
  import ResidueEncoder._
  import arithmetic.{base, digits, field, register}
  val io = new Bundle {
    val in = slave(Stream(TaggedInteger(field.bits, tag))) // integers
    val out = master(Stream(TaggedResidue(digits * register.width, tag))) // residues, with the same tag
  }
  private val steps = (field.bits + bitsPerCycle - 1) / bitsPerCycle
  private val width = register.width
  private val rows = (0 until steps).map { step =>
    val powers = (0 until bitsPerCycle).map(j => field.residue(BigInt(1) << (step * bitsPerCycle + j)))
    B(arithmetic.encode(powers), bitsPerCycle * digits * width bits)
  }
  private val table = Mem(Bits(bitsPerCycle * digits * width bits), rows)
  require(register.within(proofmill.field.Bound(base.reducible.low / field.bits, base.reducible.high / field.bits)))

  private val busy, adding = RegInit(False)
  private val rest = Reg(Bits(steps * bitsPerCycle bits))
  private val held = Reg(tag())
  private val total = Vec(Seq.fill(digits)(Reg(SInt(base.reducible.width bits))))
  private val step = Reg(UInt(log2Up(steps + base.reduceLatency + 4) bits))
  private val row = table.readSync(step.resize(log2Up(steps)))
  private val now = RegNext(rest.takeLow(bitsPerCycle))
  private val each = row.subdivideIn(bitsPerCycle slices).map(_.subdivideIn(digits slices).map(_.asSInt).toSeq).toSeq
  private val counted = RegNext(busy && step < steps, init = False)

  io.in.ready := !busy
  when(io.in.fire) {
    busy := True
    rest := io.in.value.resized
    held := io.in.tag
    step := 0
    total.foreach(_ := 0)
  }
  when(busy) {
    rest := (rest >> bitsPerCycle).resized
    when(step =/= steps + base.reduceLatency + 3)(step := step + 1)
  }
  for (i <- 0 until digits) {
    val terms = each.zipWithIndex.map { case (digit, j) => digit(i).andMask(now(j)).resize(base.reducible.width) }
    val sum = RegNext(terms.reduceBalancedTree(_ + _).andMask(counted))
    when(busy)(total(i) := total(i) + sum)
  }
  io.out.valid := busy && step === steps + base.reduceLatency + 3
  io.out.tag := held
  io.out.residue := base.reduce(proofmill.field.Residue(Cat(total.map(_.asBits)), digits, base.reducible, 0))
    .bits(base.reduceLatency, register)
  when(io.out.fire)(busy := False)
}

object ResidueEncoder { private val bitsPerCycle = 8 }

case class TaggedInteger[T <: Data](bits: Int, tagType: HardType[T]) extends Bundle {
  val value = Bits(bits bits)
  val tag = tagType()
}

case class TaggedResidue[T <: Data](bits: Int, tagType: HardType[T]) extends Bundle {
  val residue = Bits(bits bits)
  val tag = tagType()
}
