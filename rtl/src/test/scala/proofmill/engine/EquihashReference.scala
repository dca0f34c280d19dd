package proofmill.engine

import java.security.MessageDigest

import proofmill.hash.Blake2b
import proofmill.spec.Equihash

/** A reference in integer arithmetic for the parts of the Equihash engine. */
object EquihashReference {
  private val mask = (BigInt(1) << 64) - 1
  private def rotate(x: BigInt, by: Int) = ((x >> by) | (x << (64 - by))) & mask

  def littleEndian(bytes: Seq[Int]): BigInt = bytes.reverse.foldLeft(BigInt(0))((sum, byte) => sum << 8 | byte)
  def bytesOf(value: BigInt, count: Int): Seq[Int] = Seq.tabulate(count)(i => (value >> (8 * i)).toInt & 0xff)

  /** BLAKE2b of RFC 7693, section 3.2, of at most 256 bytes. */
  def blake2b(message: Seq[Int], digestBytes: Int, personal: Seq[Int]): Seq[Int] = {
    var h = Blake2b.iv.toArray
    h(0) ^= 0x01010000 | digestBytes
    h(6) ^= littleEndian(personal.take(8))
    h(7) ^= littleEndian(personal.drop(8))
    val blocks = message.grouped(128).toSeq
    for ((block, number) <- blocks.zipWithIndex) {
      val last = number == blocks.size - 1
      val m = block.padTo(128, 0).grouped(8).map(littleEndian).toSeq
      val v = h ++ Blake2b.iv
      v(12) ^= (128 * number + block.size)
      if (last) v(14) ^= mask
      for (s <- Blake2b.sigma; i <- 0 until 8) {
        val Seq(a, b, c, d) = if (i < 4) Blake2b.columns(i) else Blake2b.diagonals(i - 4)
        for ((word, first, second) <- Seq((s(2 * i), 32, 24), (s(2 * i + 1), 16, 63))) {
          v(a) = (v(a) + v(b) + m(word)) & mask
          v(d) = rotate(v(d) ^ v(a), first)
          v(c) = (v(c) + v(d)) & mask
          v(b) = rotate(v(b) ^ v(c), second)
        }
      }
      h = Array.tabulate(8)(i => h(i) ^ v(i) ^ v(i + 8))
    }
    h.toSeq.flatMap(bytesOf(_, 8)).take(digestBytes)
  }

  /** The n-bit string of a leaf, first bit most significant. */
  def leaf(p: Equihash, header: Seq[Int], index: Int): BigInt = {
    val personal = p.personalisation.map(_.toInt) ++ bytesOf(p.n, 4) ++ bytesOf(p.k, 4)
    val digest = blake2b(header ++ bytesOf(index / p.indicesPerHash, 4), p.digestBytes, personal)
    digest.slice(index % p.indicesPerHash * p.n / 8, (index % p.indicesPerHash + 1) * p.n / 8).foldLeft(BigInt(0))(
      (sum, byte) => sum << 8 | byte
    )
  }

  def sha256d(message: Array[Byte]): Array[Byte] = {
    def sha(bytes: Array[Byte]) = MessageDigest.getInstance("SHA-256").digest(bytes)
    sha(sha(message))
  }

  def badOrder(indices: Seq[Int]): Boolean =
    Iterator.iterate(1)(2 * _).takeWhile(_ < indices.size).exists { run =>
      indices.grouped(2 * run).exists(pair => pair(run) <= pair.head)
    }

  /** (badZeroOrder, xorNonZero). */
  def leafVerdict(p: Equihash, leaves: Seq[BigInt]): (Boolean, Boolean) = {
    val before = leaves.scanLeft(BigInt(0))(_ ^ _)
    def group(x: BigInt, i: Int) = (x >> (p.n - (i + 1) * p.collisionBits)) & ((1 << p.collisionBits) - 1)
    val bad = (0 until p.indices).exists(c => (0 until p.k).exists(i => c % (2 << i) == 0 && group(before(c), i) != 0))
    (bad, before.last != 0)
  }

  /** Leaves whose subtrees collide as a solution's do. */
  def solvedLeaves(p: Equihash, random: scala.util.Random): Seq[BigInt] = {
    def tree(level: Int, value: BigInt): Seq[BigInt] =
      if (level == 0) Seq(value)
      else {
        val left = BigInt(p.n - (level - 1) * p.collisionBits, random)
        tree(level - 1, left) ++ tree(level - 1, left ^ value)
      }
    tree(p.k, 0)
  }

  /** zcashd's SetCompact and CheckProofOfWork. */
  def difficultyFails(bits: Long, limit: BigInt, hash: BigInt): Boolean = {
    val size = (bits >> 24).toInt
    val word = BigInt(bits & 0x7fffff)
    val target = if (size <= 3) word >> (8 * (3 - size)) else word << (8 * (size - 3))
    val negative = word != 0 && (bits & 0x800000) != 0
    val overflow = word != 0 && (size > 34 || (word > 0xff && size > 33) || (word > 0xffff && size > 32))
    negative || overflow || target == 0 || target > limit || hash > target
  }
}
