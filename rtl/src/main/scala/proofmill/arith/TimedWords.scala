package proofmill.arith

import spinal.core._

/** Words as signals with their cycles. Operands of an operation are delayed to the latest of their cycles. */
class TimedWords extends Words[Timed[Bits]] {
  type W = Timed[Bits]

  protected def meet(words: W*)(f: Seq[Bits] => Bits): W = {
    val cycle = Timed.together(words: _*)
    Timed(f(words.map(_.at(cycle))), cycle)
  }

  def constant(value: BigInt, width: Int): W = Timed.constant(B(value, width bits))
  def slice(word: W, from: Int, width: Int): W = Timed(word.value(from, width bits), word.cycle)
  def cat(words: Seq[W]): W = meet(words: _*)(Cat(_))
  def not(word: W): W = Timed(~word.value, word.cycle)
  def xor(a: W, b: W): W = meet(a, b)(w => w(0) ^ w(1))
  def and(a: W, b: W): W = meet(a, b)(w => w(0) & w(1))
  def or(a: W, b: W): W = meet(a, b)(w => w(0) | w(1))
  def add(a: W, b: W, carry: W): W = meet(a, b, carry) { case Seq(x, y, c) =>
    ((x ## True).asUInt +^ (y ## c).asUInt)(1, x.getWidth + 1 bits).asBits
  }
  def all(word: W): W = Timed(word.value.andR.asBits, word.cycle)
  override def count(bits: Seq[W], ones: Option[W]): Seq[W] =
    if (bits.size + ones.size <= 3) super.count(bits, ones)
    else {
      val cycle = Timed.together(bits: _*)
      val counter = BitCounter(bits.map(inversion), bits.head.value.getWidth, ones.nonEmpty)
      for ((input, word) <- counter.inputs.zip(bits.map(original)))
        input := (if (word.isConstant) word.value else word.at(cycle))
      counter.outputs.map(Timed(_, cycle))
    }
  def register(word: W): W = if (word.isConstant) word else Timed(RegNext(word.value), word.cycle + 1)
  def extend(word: W, width: Int): W = Timed(word.value.asSInt.resize(width).asBits, word.cycle)

  /** The word without the inversions that a counter performs, and the mask of the inverted bits. */
  protected def original(word: W): W = word
  protected def inversion(word: W): BigInt = 0
}

object TimedWords extends TimedWords {

  /** The words of a sum with this pace. */
  def of(pace: Pace): TimedWords = if (pace.flat) InvertedWords else TimedWords
}

/** Words whose inversions are moved into the counters. In front of a counter's module, an inversion would cost one LUT for
  * each bit.
  */
private object InvertedWords extends TimedWords {

  /** `original` with the bits of `mask` inverted. */
  private class Inverted(val original: W, val mask: BigInt)
      extends Timed[Bits](original.value ^ B(mask, original.value.getWidth bits), original.cycle)

  override protected def original(word: W): W = word match {
    case inverted: Inverted => inverted.original
    case _                  => word
  }
  override protected def inversion(word: W): BigInt = word match {
    case inverted: Inverted => inverted.mask
    case _                  => 0
  }
  private def inverted(word: W, mask: BigInt): W = if (mask == 0) word else new Inverted(word, mask)

  override def not(word: W): W =
    if (word.isConstant) super.not(word)
    else inverted(original(word), Piece(0, word.value.getWidth).ones - inversion(word))
  override def slice(word: W, from: Int, width: Int): W =
    inverted(super.slice(original(word), from, width), (inversion(word) >> from) & Piece(0, width).ones)
  override def cat(words: Seq[W]): W = {
    val ends = words.scanLeft(0)((end, word) => end + word.value.getWidth)
    inverted(super.cat(words.map(original)), words.zip(ends).map { case (word, from) => inversion(word) << from }.sum)
  }
}

/** A counter that compresses four to six words, some with inverted bits, and optionally the constant 1 in each column, to
  * three words.
  *
  * It is a module of its own, one LUT deep, so that synthesis uses one LUT6 for each output bit. Inside a longer path,
  * synthesis shares smaller functions and needs twice as many LUTs.
  */
private case class BitCounter(inversions: Seq[BigInt], width: Int, one: Boolean) extends Component {
  definitionName = s"BitCounter${inversions.size}x$width"

  val inputs = inversions.map(_ => in(Bits(width bits))) // words of equal weight; set bits of `inversions` invert
  val outputs = Seq.fill(3)(out(Bits(width bits))) // `outputs(i)`: bit i of the number of ones in each column
  private val words = inputs.zip(inversions).map { case (word, mask) =>
    Timed(if (mask == 0) word else word ^ B(mask, width bits), 0)
  }
  private val ones = Option.when(one)(TimedWords.constant(Piece(0, width).ones, width))
  for ((output, word) <- outputs.zip(Compressor.count(words ++ ones)(TimedWords))) output := word.value
}
