package proofmill.engine.vdf

/** The numbers of a squaring engine for moduli of at most `bits` bits.
  *
  * A state is an integer in redundant digits of weight `2^radix`. A square's digits from number `low` on are replaced by
  * their products with constants, `2^(radix (low + j)) mod N` for the digit `low + j`. The result is congruent to the square
  * modulo N, at most `largest`, and has `digits` digits.
  *
  * @param bits   bits of the largest modulus, a multiple of 64
  * @param passes cycles in which the products of a phase enter the multipliers, 1 or 2: with 2, half the multipliers
  * @param model  behavioural arithmetic for long simulations
  */
case class VdfConfig(bits: Int, passes: Int = 1, model: Boolean = false) {
  import VdfConfig._
  require(bits >= 64 && bits % 64 == 0, s"bits: $bits is not a multiple of 64")
  require(passes == 1 || passes == 2, s"passes: $passes is neither 1 nor 2")

  /** The number of digits that are kept. */
  val low: Int = bits / radix

  /** The largest digit where a square has so many: a column's lower bits and the carry of the column below, in which a bit has at most two words for
    * each digit of the square.
    */
  private def digitHighOf(square: Int): BigInt = (BigInt(1) << radix) - 1 + 2 * (square + 2)

  /** The largest state that is made of a square of so many digits. */
  private def reducedHigh(square: Int): BigInt = {
    val kept = (0 until low).map(k => digitHighOf(square) << (radix * k)).sum
    kept + (square - low) * digitHighOf(square) * ((BigInt(1) << bits) - 1)
  }

  /** Number of digits of a square. */
  val squareDigits: Int = Iterator
    .from(2 * low + 1)
    .find(count => (reducedHigh(count) * reducedHigh(count)).bitLength <= radix * count)
    .get

  /** The largest digit. */
  val digitHigh: BigInt = digitHighOf(squareDigits)

  /** The largest state. */
  val largest: BigInt = reducedHigh(squareDigits)

  /** Number of digits of a state. */
  val digits: Int = (largest.bitLength + radix - 1) / radix

  /** Number of constants. */
  val constants: Int = squareDigits - low

  /** The largest values of the digits of a state, and of its square. */
  val stateHigh: Seq[BigInt] = Seq.tabulate(digits)(k => digitHigh min (largest >> (radix * k)))
  val squareHigh: Seq[BigInt] =
    Seq.tabulate(squareDigits)(k => digitHigh min (largest * largest >> (radix * k)))
  require(digitHigh.bitLength <= digitBits, s"bits: $bits need digits of more than $digitBits bits")

  /** Bit positions of the parts of a constant, each as wide as a multiplier takes. */
  val parts: Seq[Int] = 0 until bits by wide

  /** Cycles of a squaring: in each of two phases its products, and their sums. */
  val cycles: Int = 2 * (passes + 1)

  /** Words of 64 bits of an input or constant, and of a state. */
  val words: Int = bits / 64
  val stateWords: Int = (digits * radix + 63) / 64
}

object VdfConfig {

  /** Bits of a column, and of a digit with its redundant bit, which is the narrower factor of a multiplier. */
  val radix = 16
  val digitBits: Int = radix + 1

  /** Bits of the wider factor of a multiplier. */
  val wide = 26

  /** Ones in the bits of a column. */
  private[vdf] val mask: Int = (1 << radix) - 1

  /** Statements of a behavioural model that write the digits of `column` to `out`. */
  private[vdf] def digitsText(count: Int): String =
    s"""|std::memset(out, 0, 4 * (($digitBits * $count + 31) / 32));
        |for (int k = 0; k < $count; ++k)
        |    store(out, $digitBits * k, $digitBits, Int<1>((column[k] & $mask) + (k ? column[k - 1] >> $radix : 0)));
        |""".stripMargin

  /** A function of a behavioural model that reads bits of an operand. */
  private[vdf] val bitsText =
    "const auto bits = [](const uint32_t *in, int at, int width) { return load<1>(in, at, width).low(width).word[0]; };\n"
}
