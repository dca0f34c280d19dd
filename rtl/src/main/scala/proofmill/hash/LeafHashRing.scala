package proofmill.hash

import proofmill.spec.Equihash
import spinal.core._
import spinal.lib._

/** The number of a digest and its pass through the ring. */
case class RingTag(p: Equihash, passes: Int) extends Bundle {
  val number = UInt(p.indexBits bits)
  val pass = UInt(log2Up(passes) bits)
}

/** BLAKE2b of Equihash leaves with fewer rounds in hardware: a hash passes `passes` times through a ring of 12 / passes rounds.
  *
  * {{{
  *            ┌────────────────────────────────────────────────┐
  *   start ─► half G ─► diagonals ─► columns ─► … ─► diagonals ─┴─► ^ h ─► digest
  * }}}
  * As in [[LeafHash]] a hash begins in the middle of the first column step, which all hashes of a header share. A ring of
  * s stages contains s hashes, so a digest leaves every `passes` cycles. A digest contains several leaves.
  *
  * @param passes a divisor of 12, more than 1
  */
class LeafHashRing(p: Equihash, passes: Int) extends Component {
  require(passes > 1 && 12 % passes == 0, s"passes: $passes is not a divisor of 12, more than 1")
  private val rounds = 12 / passes
  private val stages = 4 * rounds
  private val digestWords = (p.digestBytes + 7) / 8
  val io = new Bundle {
    val start = in(LeafStart()) // the state that all hashes of the header share; steady while there are any
    val h = in(Vec(Bits(64 bits), digestWords)) // its chaining value, likewise

    /** Numbers of hashes, accepted when the ring has a place. */
    val number = slave(Stream(UInt(p.indexBits bits)))

    /** Digests in the order of their numbers, first byte in the low bits; never refused. */
    val digest = master(Flow(Bits(8 * p.digestBytes bits)))
  }

  // The tag of each stage: index 0 is that of a hash that enters or passes again.
  val returning = Flow(RingTag(p, passes)) // at the end of the ring
  private val isLast = returning.pass === passes - 1
  io.number.ready := !returning.valid || isLast
  private val entry = Flow(RingTag(p, passes))
  entry.valid := io.number.valid || returning.valid && !isLast
  entry.number := io.number.ready ? io.number.payload | returning.number
  entry.pass := io.number.ready ? U(0) | returning.pass + 1
  private val tags = (1 to stages).scanLeft(entry) { (before, _) =>
    val after = RegNext(before)
    after.valid.init(False)
    after
  }
  returning := tags.last

  /** The message word that a half step adds, if there is one in any pass; registered. All message words but 0 and 1 are zero.
    *
    * @param tag    of the stage before the half step
    * @param before passes that end between this stage and the half step
    * @param word   the number of the word, by the row of the message schedule
    */
  private def message(round: Int, tag: RingTag, before: Int, word: Seq[Int] => Int): Option[UInt] = {
    val words = Seq(io.start.m0, tag.number.asBits.resize(32 bits) ## io.start.m1)
    val added = for {
      pass <- before until passes
      number = word(Blake2b.sigma(pass * rounds + round))
      if number < words.size
    } yield (tag.pass === pass - before) ? words(number) | B(0, 64 bits)
    Option.when(added.nonEmpty)(RegNext(added.reduce(_ | _)).asUInt)
  }

  private val begin = Vec.fill(16)(Bits(64 bits)) // the state at the beginning of the ring
  private val state = begin.toArray
  for (round <- 0 until rounds; half <- 0 until 2; step = 2 * round + half; i <- 0 until 4) {
    val words = if (half == 0) Blake2b.columns else Blake2b.diagonals
    val isFirst = step == 0
    val slot = 8 * half + 2 * i
    val x = message(round, tags(if (isFirst) stages - 1 else 2 * step - 1), if (isFirst) 1 else 0, _(slot))
    val y = message(round, tags(2 * step), 0, _(slot + 1))

    /** Registers a word, or in the first step of a new hash its own. */
    def entering(stage: Int, here: Boolean, word: Bits, own: => Bits): Bits =
      RegNext(if (here) (tags(stage).pass === 0) ? own | word else word)
    val columns = words(i).map(state(_))
    val middle = Blake2b.firstHalf(columns(0).asUInt, columns(1), columns(2).asUInt, columns(3), x)
    val held = Seq(middle.a.asBits, middle.b, middle.c.asBits, middle.d).zipWithIndex.map { case (word, j) =>
      entering(0, isFirst && i == 0, word, io.start.column0(j))
    }
    val after = Blake2b.secondHalf(Blake2b.Middle(held(0).asUInt, held(1), held(2).asUInt, held(3)), y)
    for ((word, j) <- after.zipWithIndex)
      state(words(i)(j)) = entering(1, isFirst && i > 0, word, io.start.columns(i - 1)(j))
  }
  begin := Vec(state)

  private val end = RegNext(Vec((0 until digestWords).map(i => io.h(i) ^ state(i) ^ state(i + 8))))
  io.digest.valid := RegNext(returning.valid && isLast) init False
  io.digest.payload := end.asBits.resized
}
