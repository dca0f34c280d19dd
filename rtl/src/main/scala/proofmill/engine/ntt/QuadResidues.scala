package proofmill.engine.ntt

import proofmill.arith.Bound
import proofmill.field.{Arithmetic, Options, Residue}
import proofmill.spec.Field
import spinal.core._

/** Residues modulo 2^64 - 2^32 + 1 as signed integers within `bound`, and their products. */
class QuadResidues(model: Boolean) extends Residues(Field("goldilocks")) {
  private val arithmetic = Arithmetic(field, Options(model = model))
  private val p = field.modulus
  val bound: Bound = arithmetic.factor
  val bits: Int = bound.width
  val elementBits = 64
  val tableBits = 64
  val latency: Int = arithmetic.mulLatency

  def product(a: SInt, b: SInt): SInt = {
    def residue(x: SInt) = Residue(x.resize(bits).asBits, 1, bound, 0)
    arithmetic.mul(residue(a), residue(b)).digits.head.value.resize(bits)
  }

  def entered(word: Bits): SInt =
    RegNext(word).asUInt.resize(bits).asSInt // registered, because its valid signal is late
  val entryLatency = 1
  def encoded(value: BigInt): BigInt = value

  /** Converts a core's output to a residue, with a latency of `residueLatency` cycles. */
  def of(x: Quad): SInt = Quad.residue(x.resized(Quad.digitBits), bound).value
  val residueLatency: Int = Quad.residueLatency(Quad.digitBits, bound)

  val canonicalLatency = 3
  def canonical(x: SInt): Bits = {
    val high = (x >> 64).resize(4)
    val folded = RegNext((False ## x(0, 64 bits)).asSInt.resize(67) + (high << 32).resize(67) - high.resize(67))
    val (less, more) = (RegNext(folded - p), RegNext(folded + p))
    val same = RegNext(folded)
    RegNext((same.msb ? more | (less.msb ? same | less)).asBits.resize(64))
  }

  /** 2^39 is the root of order 64. */
  val turnBits: Int = NttConfig.radixBits
  require(root(turnBits) == BigInt(2).modPow(39, p), "2^39 is the root of order 64")
  val turnLatency: Int = 2 + Quad.residueLatency(Quad.fresh + 1, bound)
  def turned(x: SInt, turns: UInt): SInt = Quad.residue(Quad.rotated(x, turns), bound).value
}
