package proofmill.engine.equihash_solve

import proofmill.arith.NonAdjacent
import proofmill.engine.Granule
import spinal.core._

/** Two strings of a bucket, from which a string of the next table was made. */
case class Parents(config: SolverConfig) extends Bundle {
  val second = UInt(config.positionBits bits)
  val first = UInt(config.positionBits bits)
  val bucket = UInt(config.bucketBits bits)

  /** Returns whether both have a string in common. */
  def meet(other: Parents): Bool = bucket === other.bucket &&
    Seq(first, second).flatMap(own => Seq(other.first, other.second).map(own === _)).reduce(_ || _)
}

/** An entry of a table: a string, and where it comes from.
  *
  * The string begins with the collision group of the table's round. The groups before it are zero and are omitted; the string
  * is followed by as many zeros.
  */
case class Entry(config: SolverConfig) extends Bundle {

  /** In table 0 the leaf's index, in others [[Parents]]. */
  val reference = Bits(config.referenceBits bits)
  val string = Bits(config.params.n bits)

  /** The bucket of the entry. */
  def bucket: UInt = string.takeHigh(config.bucketBits).asUInt

  /** The bits of the collision group that are equal in all pairs of a bucket. */
  def key: UInt = string.takeHigh(config.params.collisionBits).takeLow(config.keyBits).asUInt
  def parents: Parents = {
    val parents = Parents(config)
    parents.assignFromBits(reference.takeLow(parents.getBitsWidth))
    parents
  }
}

object Entry {

  /** Returns the entry in one part of a beat. */
  def fromMemory(config: SolverConfig, part: Bits): Entry = {
    val entry = Entry(config)
    entry.assignFromBits(part.takeLow(entry.getBitsWidth))
    entry
  }
}

/** A place in the tables. */
case class Slot(config: SolverConfig) extends Bundle {
  val table = UInt(config.roundBits bits)
  val bucket = UInt(config.bucketBits bits)
  val position = UInt(config.positionBits bits)
}

/** Computes the addresses of entries: burst `(table ## bucket) * bursts` is the first one of a bucket. */
object EntryAddress {

  /** Returns the byte address of the first entry of a bucket; without registers. */
  def of(config: SolverConfig, table: UInt, bucket: UInt): UInt = {
    val number = (table @@ bucket).resize(config.memoryBits)
    val terms = NonAdjacent(config.bursts).map { case (shift, negative) =>
      ((number << (shift + log2Up(Granule.beat * config.beats))).resize(config.memoryBits), negative)
    }
    terms.foldLeft(U(0, config.memoryBits bits)) { case (sum, (term, negative)) =>
      if (negative) sum - term else sum + term
    }
  }
}
