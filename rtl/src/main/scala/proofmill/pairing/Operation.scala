package proofmill.pairing

/** An element of Fp2 in a block: a register's content at the beginning, or an operation's result. */
class Value(val maker: Option[Operation], val variable: Option[String])

/** `factor` times a value, after an optional conjugation and an optional multiplication by xi = 1 + u. */
case class Term(value: Value, factor: Int, xi: Boolean = false, conj: Boolean = false) {
  def alike(other: Term): Boolean = (value eq other.value) && xi == other.xi && conj == other.conj
}

/** One or two registers as the multiplier's factor: a, a + b, a - b. */
case class Factor(a: Value, b: Option[Value], minus: Boolean) {
  def values: Seq[Value] = a +: b.toSeq
}

/** An input of the linear unit that is not a register. */
sealed trait Outside
case class FromSlots(base: Int, slot: Int, whole: Boolean) extends Outside
case class FromEntry(digit: Int, slot: Int, whole: Boolean) extends Outside
case class FromConstants(index: Int) extends Outside
case object FromInverter extends Outside

/** An additional destination of the linear unit's result. */
sealed trait Also
case class ToSlots(base: Int, slot: Int, whole: Boolean) extends Also
case object ToInverter extends Also

/** An operation of a unit with one result. */
sealed abstract class Operation {
  val value: Value = new Value(Some(this), None)
  def reads: Seq[Value]
}

/** (a0 + a1 u)(b0 + b1 u): three products. */
class Multiply(val a: Factor, val b: Factor) extends Operation {
  def reads: Seq[Value] = a.values ++ b.values
}

/** (a0 + a1 u)^2: two products. */
class Square(val a: Factor) extends Operation {
  def reads: Seq[Value] = a.values
}

/** (a0 + a1 u) b0: two products. */
class Stretch(val a: Factor, val b: Factor) extends Operation {
  def reads: Seq[Value] = a.values ++ b.values
}

/** a0 b0 + a1 b1 u: two products. */
class Pair(val a: Factor, val b: Factor) extends Operation {
  def reads: Seq[Value] = a.values ++ b.values
}

/** The sum of at most four terms. @param home the variable whose register is its destination, if it is the variable's final
  * value
  */
class LinearSum(val terms: Seq[Term], val outside: Option[Outside], val also: Option[Also]) extends Operation {
  require(terms.size <= LinearSum.terms, s"${terms.size} terms")
  var home: Option[String] = None
  def reads: Seq[Value] = terms.map(_.value)
}

object LinearSum {
  val terms = 4

  /** 2^shift, or three times that. */
  def shift(factor: Int): Int = Integer.numberOfTrailingZeros(factor)
  def triple(factor: Int): Boolean = factor.abs >> shift(factor) == 3
  def possible(factor: Int): Boolean =
    factor != 0 && shift(factor) < 4 && Set(1, 3)(factor.abs >> shift(factor))
}
