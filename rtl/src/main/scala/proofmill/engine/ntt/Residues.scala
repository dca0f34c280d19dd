package proofmill.engine.ntt

import proofmill.arith.Bound
import proofmill.field.{Arithmetic, Options, Residue}
import proofmill.spec.Field
import spinal.core._

/** Residues modulo 2^64 - 2^32 + 1 as signed integers within `bound`, and their products. */
class Residues(twin: Boolean) {
  private val arithmetic = Arithmetic(Residues.field, Options(twin = twin))
  val bound: Bound = arithmetic.factor
  val bits: Int = bound.width
  val latency: Int = arithmetic.mulLatency

  /** The product, `latency` cycles later. */
  def product(a: SInt, b: SInt): SInt = {
    def residue(x: SInt) = Residue(x.resize(bits).asBits, 1, bound, 0)
    arithmetic.mul(residue(a), residue(b)).digits.head.value.resize(bits)
  }

  /** What a core leaves, as a residue, `residueLatency` cycles later. */
  def of(x: Quad): SInt = Quad.residue(x, bound).value
  val residueLatency: Int = Quad.residueLatency(bound)

  /** The canonical integer, three cycles later. */
  def canonical(x: SInt): Bits = {
    val p = Residues.field.modulus
    val high = (x >> 64).resize(4)
    val folded = RegNext((False ## x(0, 64 bits)).asSInt.resize(67) + (high << 32).resize(67) - high.resize(67))
    val (less, more) = (RegNext(folded - p), RegNext(folded + p))
    val same = RegNext(folded)
    RegNext((same.msb ? more | (less.msb ? same | less)).asBits.resize(64))
  }
}

object Residues {
  val field: Field = Field("goldilocks")
  private val p = field.modulus
  val canonicalLatency = 3

  /** The root of unity of order 2^log: the generator to the power of (p - 1) / 2^log. */
  def root(log: Int): BigInt = field.generator.get.modPow((p - 1) >> log, p)
  require(root(NttConfig.radixBits) == (BigInt(2).modPow(39, p)), "2^39 is the root of order 64")

  /** root(log)^(j step) for j below 2^bits. */
  def powers(log: Int, bits: Int, step: Int = 1): Seq[BigInt] =
    (0 until 1 << bits).map(j => root(log).modPow(BigInt(j) * step, p))

  /** A memory that never changes. */
  def table(words: Seq[BigInt]): Mem[Bits] = Mem(Bits(64 bits), words.map(B(_, 64 bits)))

  /** A canonical integer as a residue. */
  def plain(word: Bits, bits: Int): SInt = word.asUInt.resize(bits).asSInt
}
