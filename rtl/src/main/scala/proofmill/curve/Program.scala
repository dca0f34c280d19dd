package proofmill.curve

import proofmill.field.Bound
import proofmill.spec.Formula

import scala.collection.mutable
import scala.collection.mutable.ArrayBuffer

/** What one unit does with its operands. */
sealed abstract class Unit(val name: String)
object Unit {
  case object Mul extends Unit("mul")
  case object Square extends Unit("square")
  case class MulBy(constant: BigInt) extends Unit("mul by constant")
  case object Add extends Unit("add")
  case object Sub extends Unit("sub")
  case object Neg extends Unit("neg")

  /** `factor`, a power of two, times the operand: wiring only. */
  case class Shift(factor: Int) extends Unit("shift")

  /** The second operand where the first, a bit, is 1, and otherwise zero. */
  case object Gate extends Unit("gate")
  case object Reduce extends Unit("reduce")
}

/** One value that a pipeline computes: by what unit, from what, and what its digits may be. */
case class Operation(result: String, unit: Unit, operands: Seq[String], bound: Bound)

/** A formula broken up into what the units of a field do, with the bound of every value: what is computed, not yet when.
  *
  * A multiplication by a bit becomes a gate, one by a small constant shifts and additions, and a value goes through
  * `reduce` (and is then called as before, with a prime: `t6'`) where a multiplication demands a smaller one, or where
  * an addition would leave what can be reduced at all.
  *
  * @param bits inputs that are 0 or 1
  * @param inputs the bound of every other input
  * @param outputs formula output and the value that it is, in the formula's order
  */
case class Program(
    formula: Formula,
    terms: Terms,
    bits: Set[String],
    inputs: Map[String, Bound],
    operations: Seq[Operation],
    outputs: Seq[(String, String)]
) {
  private val bounds = inputs ++ operations.map(op => op.result -> op.bound)

  /** The bound of a value. */
  def bound(value: String): Bound = bounds(value)

  /** Bits of a value. */
  def width(value: String): Int = if (bits(value)) 1 else terms.bits(bound(value))

  def count(unit: Unit => Boolean): Int = operations.count(op => unit(op.unit))
  def reductions: Int = count(_ == Unit.Reduce)
  def multiplications: Int = count {
    case Unit.Mul | Unit.Square | Unit.MulBy(_) => true
    case _                                      => false
  }

  def latency(unit: Unit): Int = unit match {
    case Unit.Mul | Unit.Square | Unit.MulBy(_) => terms.mulLatency
    case Unit.Add | Unit.Sub | Unit.Neg         => terms.addLatency
    case Unit.Shift(_) | Unit.Gate              => 0
    case Unit.Reduce                            => terms.reduceLatency
  }
}

object Program {

  /** Constants up to this magnitude are multiplied by with shifts and additions. */
  private val Small = 64

  /** Breaks up a formula.
    *
    * @param constants the value of each constant of the formula, canonical
    * @param bounds what inputs may be; a multiplication's result where nothing is said
    * @param demand what every output has to be
    */
  def apply(
      formula: Formula,
      terms: Terms,
      modulus: BigInt,
      constants: Map[String, BigInt] = Map.empty,
      bits: Set[String] = Set.empty,
      bounds: Map[String, Bound] = Map.empty,
      demand: Option[Bound] = None
  ): Program = {
    val inputs = formula.inputs.filterNot(bits).map(in => in -> bounds.getOrElse(in, terms.product)).toMap
    val signed = constants.map { case (name, c) => name -> (if (2 * c > modulus) c - modulus else c) }
    val writer = new Writer(formula.name, terms, bits, inputs)
    for (Formula.Line(result, step) <- formula.lines) step match {
      case Formula.Add(a, b)   => writer.sum(result, Unit.Add, a, b)
      case Formula.Sub(a, b)   => writer.sum(result, Unit.Sub, a, b)
      case Formula.Neg(a)      => writer.negative(result, a)
      case Formula.Scale(k, a) => writer.multiple(result, k, a)
      case Formula.Mul(a, b) =>
        (signed.get(a), signed.get(b)) match {
          case (Some(c), None)           => writer.timesConstant(result, c, b)
          case (None, Some(c))           => writer.timesConstant(result, c, a)
          case (None, None) if bits(a)   => writer.gate(result, a, b)
          case (None, None) if bits(b)   => writer.gate(result, b, a)
          case (None, None)              => writer.product(result, a, b)
          case (Some(first), Some(last)) => writer.fault(result, s"$first * $last is a constant")
        }
    }
    val outputs = formula.outputs.map(out => out -> demand.fold(out)(writer.within(_, out, out)))
    Program(formula, terms, bits, inputs, writer.operations.toSeq, outputs)
  }

  /** Takes a formula's lines one by one and writes the operations, keeping every value's bound. */
  private class Writer(formula: String, terms: Terms, bits: Set[String], inputs: Map[String, Bound]) {
    val operations = ArrayBuffer.empty[Operation]
    private val bounds = mutable.Map.from(inputs)

    def fault(line: String, text: String): Nothing = sys.error(s"formula $formula, line $line: $text")

    private def put(result: String, unit: Unit, operands: Seq[String], bound: Bound): String = {
      operations += Operation(result, unit, operands, bound)
      bounds(result) = bound
      result
    }

    private def boundOf(value: String, line: String): Bound =
      bounds.getOrElse(value, fault(line, s"the bit $value may only be a factor"))

    /** The value, or its reduction where it is not within `demand`. */
    def within(demand: Bound, value: String, line: String): String =
      if (boundOf(value, line).within(demand)) value
      else {
        val small = reduced(value, line)
        if (!bounds(small).within(demand)) fault(line, s"$value, even reduced, is ${bounds(small)}, not within $demand")
        small
      }

    /** The value after `reduce`, once for all who read it. */
    private def reduced(value: String, line: String): String = {
      val small = value + "'"
      if (bounds.contains(small)) small
      else if (bounds(value).within(terms.reducible)) put(small, Unit.Reduce, Seq(value), terms.factor)
      else fault(line, s"$value is ${bounds(value)}, which is beyond what can be reduced, ${terms.reducible}")
    }

    def product(result: String, a: String, b: String): String = {
      val factors = Seq(a, b).map(within(terms.factor, _, result))
      put(result, if (a == b) Unit.Square else Unit.Mul, factors, terms.product)
    }

    def gate(result: String, bit: String, a: String): String = {
      val bound = boundOf(a, result)
      put(result, Unit.Gate, Seq(bit, a), Bound(bound.low.min(0), bound.high.max(0)))
    }

    def negative(result: String, a: String): String = put(result, Unit.Neg, Seq(a), -boundOf(a, result))

    /** A sum or difference; operands that are too large for it are reduced, only the larger one where that is enough. */
    def sum(result: String, unit: Unit, a: String, b: String): String = {
      val operands = Seq(a, b)
      def size(value: String) = { val bound = boundOf(value, result); bound.high.max(-bound.low) }
      def bound(small: Set[String]) = {
        val Seq(x, y) = operands.map(value => if (small(value)) terms.factor else boundOf(value, result))
        if (unit == Unit.Add) x + y else x - y
      }
      val larger = operands.maxBy(size)
      val small = Seq(Set.empty[String], Set(larger), operands.toSet)
        .find(bound(_).within(terms.reducible))
        .getOrElse(fault(result, s"is ${bound(operands.toSet)} even of reduced operands, beyond ${terms.reducible}"))
      put(result, unit, operands.map(value => if (small(value)) reduced(value, result) else value), bound(small))
    }

    def timesConstant(result: String, constant: BigInt, a: String): String =
      if (constant.abs <= Small && constant != 0) multiple(result, constant.toInt, a)
      else put(result, Unit.MulBy(constant), Seq(within(terms.factor, a, result)), terms.product)

    /** `k a` by the signed binary digits of `k`: each of them but the first is one addition. */
    def multiple(result: String, k: Int, a: String): String = signedBinary(k.abs) match {
      case _ if k == 0 || k == 1 => fault(result, s"$k $a is no new value")
      case Seq(1)                => negative(result, a)
      case digits if k < 0       => negative(result, multiple(s"$result.negated", -k, a))
      case Seq(power)            => shift(result, power, a)
      case first +: rest =>
        def term(power: Int) = if (power == 1) a else shift(s"$result.$power", power, a)
        rest.foldLeft(term(first) -> first) { case ((sum, value), digit) =>
          val name = if (value + digit == k) result else s"$result.${value + digit}"
          this.sum(name, if (digit > 0) Unit.Add else Unit.Sub, sum, term(digit.abs)) -> (value + digit)
        }._1
    }

    private def shift(result: String, factor: Int, a: String): String = {
      val fits = (boundOf(a, result) * factor).within(terms.reducible)
      val operand = if (fits) a else reduced(a, result)
      val bound = bounds(operand) * factor
      if (!bound.within(terms.reducible)) fault(result, s"is $bound even of a reduced operand, beyond ${terms.reducible}")
      put(result, Unit.Shift(factor), Seq(operand), bound)
    }
  }

  /** Powers of two whose sum is `k`, the largest first: binary, or with signs (the non-adjacent form) where that is shorter. */
  private[curve] def signedBinary(k: Int): Seq[Int] = {
    def nonAdjacent(k: Int): Seq[Int] =
      if (k == 0) Seq.empty
      else {
        val digit = if (k % 2 == 0) 0 else 2 - k % 4
        nonAdjacent((k - digit) / 2).map(_ * 2) ++ Seq(digit).filter(_ != 0)
      }
    val binary = (30 to 0 by -1).map(1 << _).filter(power => (k & power) != 0)
    Seq(binary, nonAdjacent(k)).minBy(_.size)
  }
}
