package proofmill.engine.ntt

import proofmill.spec.Field
import spinal.core._

/** The representation of a field's elements in the pipeline: lazily reduced residues of `bits` bits. In the memory they are
  * canonical.
  */
abstract class Residues(val field: Field) {
  private val p = field.modulus

  /** Bits of an element in the memory, of a residue, and of a constant in a table, whose higher bits are zero. */
  def elementBits: Int
  def bits: Int
  def tableBits: Int

  /** Multiplies, with a latency of `latency` cycles. */
  def product(a: SInt, b: SInt): SInt
  def latency: Int

  /** Converts a canonical integer to a residue, with a latency of `entryLatency` cycles. */
  def entered(word: Bits): SInt
  def entryLatency: Int

  /** Returns the residue of a number. */
  def encoded(value: BigInt): BigInt

  /** Converts to the canonical integer, with a latency of `canonicalLatency` cycles. */
  def canonical(x: SInt): Bits
  def canonicalLatency: Int

  /** Multiplies by root(turnBits)^turns without a multiplier, with a latency of `turnLatency` cycles. */
  def turned(x: SInt, turns: UInt): SInt
  def turnBits: Int
  def turnLatency: Int

  /** Returns the root of unity of order 2^log: the generator to the power of (p - 1) / 2^log. */
  def root(log: Int): BigInt = field.generator.get.modPow((p - 1) >> log, p)

  /** Returns root(log)^j for j below 2^bits. */
  def powers(log: Int, bits: Int): Seq[BigInt] = {
    val w = root(log)
    Iterator.iterate(BigInt(1))(_ * w % p).take(1 << bits).toSeq
  }

  /** Returns the number with the given index as a residue, with a latency of one cycle. */
  def chosen(numbers: Seq[BigInt], index: UInt): SInt = chosen(numbers, Seq(index)).head

  /** Returns the numbers with the given indices. A block memory has two ports, so one table serves two indices. */
  def chosen(numbers: Seq[BigInt], indices: Seq[UInt]): Seq[SInt] = {
    val table = Mem(Bits(tableBits bits), numbers.map(x => B(encoded(x), tableBits bits)))
    indices.map(table.readSync(_).asUInt.resize(bits).asSInt)
  }
}
