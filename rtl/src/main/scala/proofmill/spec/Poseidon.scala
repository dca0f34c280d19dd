package proofmill.spec

import scala.collection.mutable

/** Poseidon as in Filecoin, for a state of `width` elements, in the form with a matrix of small integers: `Scaled` in
  * `spec/model/poseidon.py`, which proves that it is the same function.
  *
  * Round r of `rounds` adds `constants(r)` to the state, raises the elements to the power of 5 (in a partial round only the
  * first, which is then multiplied by `factors(r)`) and multiplies by `matrix`. The second element times `last` is the hash.
  * The constants are computed on demand, since that takes some time.
  */
case class Poseidon(width: Int, strength: Strength = Strength.Standard) {
  import Poseidon._

  private val arity = width - 1
  private val p = field.modulus
  val partial: Int =
    strength.partial(facts.getArray("partial_rounds").getLong(arity - Spec.int(facts, "least_arity")).toInt)
  val rounds: Int = fullRounds + partial
  def isFull(round: Int): Boolean = round < fullRounds / 2 || round >= fullRounds / 2 + partial

  /** L = lcm(width, …, 3 width - 2), and L / (width + k). */
  private val multiple = (width to 3 * width - 2).map(BigInt(_)).reduce((a, b) => a / (a gcd b) * b)
  val entries: Seq[BigInt] = (0 to 2 * width - 2).map(k => multiple / (width + k))
  val matrix: Seq[Seq[BigInt]] = Seq.tabulate(width, width)((i, j) => entries(i + j))

  /** The state by definition is `scales(r)` times the stored state. */
  private lazy val scales = (0 until rounds).scanLeft(BigInt(1)) { (scale, round) =>
    (if (isFull(round)) scale.modPow(5, p) else scale) * field.inverse(multiple) mod p
  }
  lazy val factors: Seq[BigInt] = scales.init.map(_.modPow(4, p))
  lazy val last: BigInt = scales.last

  /** In a partial round only the first constant is not 0: the constants of the other elements are moved through the matrix to
    * the next round.
    */
  lazy val constants: Seq[Seq[BigInt]] = {
    val scaled = byDefinition(width, partial).zip(scales).map { case (row, scale) =>
      row.map(c => c * field.inverse(scale) mod p)
    }
    val (found, _) = scaled.zipWithIndex.foldLeft((Vector.empty[Seq[BigInt]], Seq.fill(width)(BigInt(0)))) {
      case ((done, carried), (row, round)) =>
        val sum = row.zip(carried).map { case (a, b) => (a + b) mod p }
        if (isFull(round)) (done :+ sum, Seq.fill(width)(BigInt(0)))
        else (done :+ (sum.head +: Seq.fill(width - 1)(BigInt(0))), product(BigInt(0) +: sum.tail))
    }
    found
  }

  private def product(state: Seq[BigInt]) =
    matrix.map(_.zip(state).map { case (a, x) => a * x }.sum mod p)
}

/** The number of partial rounds. */
sealed abstract class Strength {

  /** Returns the number of partial rounds, given that of the standard instance. */
  def partial(standard: Int): Int
}

object Strength {
  case object Standard extends Strength {
    def partial(standard: Int): Int = standard
  }

  /** The standard number times the fraction `strengthened`, rounded up. */
  case object Strengthened extends Strength {
    def partial(standard: Int): Int = {
      val Array(times, over) = Poseidon.strengthened.split('/').map(_.toInt)
      (standard * times + over - 1) / over
    }
  }

  /** In the order of the register `strengths`. */
  val all: Seq[Strength] = Seq(Standard, Strengthened)
}

object Poseidon {
  private val facts = Spec.table("hashes/poseidon_bls12_381")
  val field: Field = Field(facts.getString("field"))
  private[spec] val strengthened: String = facts.getString("strengthened")
  val fullRounds: Int = Spec.int(facts, "full_rounds")
  require(Spec.int(facts, "alpha") == 5, "the S-box is x^5")

  /** Taps of the Grain LFSR, the oldest bit being 0. */
  private val taps = Seq(0, 13, 23, 38, 51, 62)

  /** Round constants: numbers with the bit length of the modulus, highest bit first; those not below the modulus are skipped.
    * The first 160 bits of the LFSR are discarded; of each following pair of bits, the second is used if the first is 1.
    */
  private def byDefinition(width: Int, partial: Int): Seq[Seq[BigInt]] = {
    val begin = Seq((1, 2), (1, 4), (field.bits, 12), (width, 12), (fullRounds, 10), (partial, 10), ((1 << 30) - 1, 30))
    val state = mutable.Queue.from(begin.flatMap { case (value, bits) =>
      (bits - 1 to 0 by -1).map(i => (value >> i & 1) == 1)
    })
    def shifted() = {
      val bit = taps.map(state(_)).reduce(_ ^ _)
      state.dequeue()
      state.enqueue(bit)
      bit
    }
    for (_ <- 0 until 160) shifted()
    def counted(): Boolean = {
      val (counts, bit) = (shifted(), shifted())
      if (counts) bit else counted()
    }
    def number() = (0 until field.bits).foldLeft(BigInt(0))((number, _) => number << 1 | (if (counted()) 1 else 0))
    Seq.fill(fullRounds + partial, width)(Iterator.continually(number()).find(_ < field.modulus).get)
  }
}
