package proofmill.arith

/** The operations inside a sum, on integers (to evaluate a plan) or on signals (to generate a circuit). */
trait Words[W] {
  def constant(value: BigInt, width: Int): W
  def slice(word: W, from: Int, width: Int): W

  /** Concatenates words, the first one lowest. */
  def cat(words: Seq[W]): W
  def not(word: W): W
  def xor(a: W, b: W): W
  def and(a: W, b: W): W
  def or(a: W, b: W): W

  /** Adds two words of one width and a carry bit in one carry chain. The result is one bit wider. */
  def add(a: W, b: W, carry: W): W

  /** Returns one bit: whether all bits of a word are set. */
  def all(word: W): W

  /** Sign-extends a word to `width` bits, or truncates a wider one. */
  def extend(word: W, width: Int): W

  /** Counts the set bits in each column of up to six words and a word of ones. The result has one word for each binary digit. */
  def count(bits: Seq[W], ones: Option[W]): Seq[W] = Compressor.count(bits ++ ones)(this)

  /** Returns the word one cycle later. */
  def register(word: W): W
}

/** A non-negative integer below `2^width`. */
case class Word(value: BigInt, width: Int)

object Word extends Words[Word] {
  private def mask(width: Int) = (BigInt(1) << width) - 1

  def of(value: BigInt, width: Int): Word = Word(value & mask(width), width)
  def constant(value: BigInt, width: Int): Word = of(value, width)
  def slice(word: Word, from: Int, width: Int): Word = {
    require(from + width <= word.width, s"bits $from to ${from + width - 1} of a word of ${word.width}")
    of(word.value >> from, width)
  }
  def cat(words: Seq[Word]): Word =
    words.foldLeft(Word(0, 0))((low, high) => Word(low.value | high.value << low.width, low.width + high.width))
  def not(word: Word): Word = Word(mask(word.width) ^ word.value, word.width)
  def xor(a: Word, b: Word): Word = Word(a.value ^ b.value, a.width)
  def and(a: Word, b: Word): Word = Word(a.value & b.value, a.width)
  def or(a: Word, b: Word): Word = Word(a.value | b.value, a.width)
  def add(a: Word, b: Word, carry: Word): Word = {
    require(a.width == b.width && carry.width == 1, s"a sum of ${a.width}, ${b.width} and ${carry.width} bits")
    Word(a.value + b.value + carry.value, a.width + 1)
  }
  def all(word: Word): Word = Word(if (word == Word.not(Word(0, word.width))) 1 else 0, 1)
  def extend(word: Word, width: Int): Word = of(signed(word), width)
  def register(word: Word): Word = word

  /** Returns the value of a word in two's complement. */
  def signed(word: Word): BigInt =
    if (word.width > 0 && word.value.testBit(word.width - 1)) word.value - (BigInt(1) << word.width) else word.value
}
