package proofmill.micro

/** Exponents that depend only on the field, and their exponentiation. */
object Exponent {

  /** Evaluates an expression of `p` and integers with + - * / and parentheses; divisions must be exact. */
  def apply(text: String, p: BigInt): BigInt = {
    val tokens = """\d+|[-+*/()p]""".r.findAllIn(text).toList
    require(tokens.mkString == text.filterNot(_.isWhitespace), s"'$text' is not an exponent")
    val (value, rest) = sum(tokens, p)
    require(rest.isEmpty, s"'$text' is not an exponent")
    value
  }

  private type Parsed = (BigInt, List[String])

  private def sum(tokens: List[String], p: BigInt): Parsed = {
    def more(left: Parsed): Parsed = left match {
      case (a, (sign @ ("+" | "-")) :: rest) =>
        val (b, after) = product(rest, p)
        more((if (sign == "+") a + b else a - b, after))
      case done => done
    }
    more(product(tokens, p))
  }

  private def product(tokens: List[String], p: BigInt): Parsed = {
    def more(left: Parsed): Parsed = left match {
      case (a, "*" :: rest) =>
        val (b, after) = atom(rest, p)
        more((a * b, after))
      case (a, "/" :: rest) =>
        val (b, after) = atom(rest, p)
        require(a % b == 0, s"$b does not divide $a")
        more((a / b, after))
      case done => done
    }
    more(atom(tokens, p))
  }

  private def atom(tokens: List[String], p: BigInt): Parsed = tokens match {
    case "p" :: rest => (p, rest)
    case "(" :: rest =>
      val (value, after) = sum(rest, p)
      require(after.headOption.contains(")"), "a parenthesis is not closed")
      (value, after.tail)
    case number :: rest if number.forall(_.isDigit) => (BigInt(number), rest)
    case _                                          => throw new IllegalArgumentException("an exponent ends too early")
  }

  /** Returns the window width with the fewest multiplications. */
  def window(exponent: BigInt): Int =
    (1 to 5).minBy(w => windows(exponent, w).count(_._2 != 0) + (1 << (w - 1)))

  /** Returns (squarings, odd factor) pairs, most significant first; a factor of 0 means none. */
  def windows(exponent: BigInt, width: Int): Seq[(Int, Int)] = {
    require(exponent > 0, "an exponent is not positive")
    def down(bit: Int, squarings: Int): List[(Int, Int)] =
      if (bit < 0) if (squarings > 0) List((squarings, 0)) else Nil
      else if (!exponent.testBit(bit)) down(bit - 1, squarings + 1)
      else {
        val low = ((bit - width + 1).max(0) to bit).find(exponent.testBit).get
        val digit = ((exponent >> low) & ((BigInt(1) << (bit - low + 1)) - 1)).toInt
        (squarings + bit - low + 1, digit) :: down(low - 1, 0)
      }
    down(exponent.bitLength - 1, 0)
  }
}
