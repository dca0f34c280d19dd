package proofmill.engine.ntt

import proofmill.spec.Field
import spinal.core._

/** How a field's elements travel: residues of `bits` bits, lazily reduced; in the memory they are canonical. */
abstract class Residues(val field: Field) {
  private val p = field.modulus

  /** Bits of an element in the memory, of a residue, and of a constant one in a table, whose bits above are zero. */
  def elementBits: Int
  def bits: Int
  def tableBits: Int

  /** The product, `latency` cycles later. */
  def product(a: SInt, b: SInt): SInt
  def latency: Int

  /** A canonical integer as a residue, `entryLatency` cycles later. */
  def entered(word: Bits): SInt
  def entryLatency: Int

  /** The same of a number. */
  def encoded(value: BigInt): BigInt

  /** The canonical integer, `canonicalLatency` cycles later. */
  def canonical(x: SInt): Bits
  def canonicalLatency: Int

  /** root(turnBits)^turns times a residue, without a multiplier, `turnLatency` cycles later. */
  def turned(x: SInt, turns: UInt): SInt
  def turnBits: Int
  def turnLatency: Int

  /** The root of unity of order 2^log: the generator to the power of (p - 1) / 2^log. */
  def root(log: Int): BigInt = field.generator.get.modPow((p - 1) >> log, p)

  /** root(log)^j for j below 2^bits. */
  def powers(log: Int, bits: Int): Seq[BigInt] = {
    val w = root(log)
    Iterator.iterate(BigInt(1))(_ * w % p).take(1 << bits).toSeq
  }

  /** The number that an index chooses, as a residue, a cycle later. */
  def chosen(numbers: Seq[BigInt], index: UInt): SInt = chosen(numbers, Seq(index)).head

  /** Those that some indices choose: a block memory has two ports, so one table is enough for two. */
  def chosen(numbers: Seq[BigInt], indices: Seq[UInt]): Seq[SInt] = {
    val table = Mem(Bits(tableBits bits), numbers.map(x => B(encoded(x), tableBits bits)))
    indices.map(table.readSync(_).asUInt.resize(bits).asSInt)
  }
}
