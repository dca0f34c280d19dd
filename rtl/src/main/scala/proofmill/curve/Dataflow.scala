package proofmill.curve

import proofmill.field.Bound
import proofmill.spec.Formula

import scala.collection.mutable
import scala.collection.mutable.ArrayBuffer

/** The function of a unit. */
sealed abstract class Unit(val name: String)
object Unit {
  case object Mul extends Unit("mul")
  case object Square extends Unit("square")
  case class MulBy(constant: BigInt) extends Unit("mul by constant")
  case object Add extends Unit("add")
  case object Sub extends Unit("sub")
  case object Neg extends Unit("neg")

  /** `factor` times the operand: additions, or only wiring for a power of two. */
  case class Scale(factor: Int) extends Unit("scale")

  /** The second operand if the first, a bit, is 1; otherwise zero. */
  case object Gate extends Unit("gate")
  case object Reduce extends Unit("reduce")
}

/** One value of a pipeline: its unit, its operands, and the interval of its digits. */
case class Operation(result: String, unit: Unit, operands: Seq[String], bound: Bound)

/** A formula as operations of a field's units, with the bound of every value. It is not scheduled yet.
  *
  * A multiplication by a bit becomes a gate, and one by a small constant a `scale`. A value passes through `reduce` (and gets
  * a prime: `t6'`) if a multiplication requires a smaller bound, if an addition would exceed the reducible interval, or if
  * `early` names it.
  *
  * @param bits inputs that are 0 or 1
  * @param inputs the bound of every other input
  * @param outputs each formula output and its value, in the formula's order
  */
case class Dataflow(
    formula: Formula,
    terms: Terms,
    bits: Set[String],
    inputs: Map[String, Bound],
    operations: Seq[Operation],
    outputs: Seq[(String, String)]
) {
  private val bounds = inputs ++ operations.map(op => op.result -> op.bound)

  /** Returns the bound of a value. */
  def bound(value: String): Bound = bounds(value)

  /** Returns the width of a value in bits. */
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
    case Unit.Scale(factor)                     => terms.scaleLatency(factor)
    case Unit.Gate                              => 0
    case Unit.Reduce                            => terms.reduceLatency
  }
}

object Dataflow {

  /** Constants up to this magnitude are factors of a `scale`. */
  private val Small = 64

  /** Converts a formula to operations.
    *
    * @param constants the value of each constant of the formula, canonical
    * @param bounds bounds of inputs; the default is the bound of a multiplication's result
    * @param early lines whose result is reduced at once, which keeps the bounds of later values small
    */
  def apply(
      formula: Formula,
      terms: Terms,
      modulus: BigInt,
      constants: Map[String, BigInt] = Map.empty,
      bits: Set[String] = Set.empty,
      bounds: Map[String, Bound] = Map.empty,
      early: Set[String] = Set.empty
  ): Dataflow = {
    val inputs = formula.inputs.filterNot(bits).map(in => in -> bounds.getOrElse(in, terms.product)).toMap
    val signed = constants.map { case (name, c) => name -> (if (2 * c > modulus) c - modulus else c) }
    val writer = new Writer(formula.name, terms, bits, inputs)
    def now(value: String) = if (early(value)) value + "'" else value
    for (Formula.Line(result, step) <- formula.lines) {
      step match {
        case Formula.Add(a, b)   => writer.sum(result, Unit.Add, now(a), now(b))
        case Formula.Sub(a, b)   => writer.sum(result, Unit.Sub, now(a), now(b))
        case Formula.Neg(a)      => writer.negative(result, now(a))
        case Formula.Scale(k, a) => writer.scaled(result, k, now(a))
        case Formula.Mul(a, b) =>
          (signed.get(a), signed.get(b)) match {
            case (Some(c), None)           => writer.timesConstant(result, c, now(b))
            case (None, Some(c))           => writer.timesConstant(result, c, now(a))
            case (None, None) if bits(a)   => writer.gate(result, a, now(b))
            case (None, None) if bits(b)   => writer.gate(result, b, now(a))
            case (None, None)              => writer.product(result, now(a), now(b))
            case (Some(first), Some(last)) => writer.fault(result, s"$first * $last is a constant")
          }
      }
      if (early(result)) writer.reduced(result, result)
    }
    val outputs = formula.outputs.map(out => out -> now(out))
    Dataflow(formula, terms, bits, inputs, writer.operations.toSeq, outputs)
  }

  /** Converts a formula's lines one by one to operations and tracks the bound of every value. */
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

    /** Returns the value, or its reduction if it is not within `demand`. */
    def within(demand: Bound, value: String, line: String): String =
      if (boundOf(value, line).within(demand)) value
      else {
        val small = reduced(value, line)
        if (!bounds(small).within(demand)) fault(line, s"$value, even reduced, is ${bounds(small)}, not within $demand")
        small
      }

    /** Returns the value after `reduce`. All readers share one reduction. */
    def reduced(value: String, line: String): String = {
      val small = value + "'"
      if (bounds.contains(small)) small
      else if (bounds(value).within(terms.reducible)) put(small, Unit.Reduce, Seq(value), terms.reduced)
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

    /** Adds a sum or difference. Reduces the larger operand, or both, if the result would exceed the reducible interval. */
    def sum(result: String, unit: Unit, a: String, b: String): String = {
      val operands = Seq(a, b)
      def size(value: String) = { val bound = boundOf(value, result); bound.high.max(-bound.low) }
      def bound(small: Set[String]) = {
        val Seq(x, y) = operands.map(value => if (small(value)) terms.reduced else boundOf(value, result))
        if (unit == Unit.Add) x + y else x - y
      }
      val larger = operands.maxBy(size)
      val small = Seq(Set.empty[String], Set(larger), operands.toSet)
        .find(bound(_).within(terms.reducible))
        .getOrElse(fault(result, s"is ${bound(operands.toSet)} even of reduced operands, beyond ${terms.reducible}"))
      put(result, unit, operands.map(value => if (small(value)) reduced(value, result) else value), bound(small))
    }

    def timesConstant(result: String, constant: BigInt, a: String): String =
      if (constant.abs <= Small) scaled(result, constant.toInt, a)
      else put(result, Unit.MulBy(constant), Seq(within(terms.factor, a, result)), terms.product)

    def scaled(result: String, k: Int, a: String): String =
      if (k == 0 || k == 1) fault(result, s"$k $a is no new value")
      else if (k == -1) negative(result, a)
      else {
        val fits = (boundOf(a, result) * k).within(terms.reducible)
        val operand = if (fits) a else reduced(a, result)
        val bound = bounds(operand) * k
        if (!bound.within(terms.reducible))
          fault(result, s"is $bound even of a reduced operand, beyond ${terms.reducible}")
        put(result, Unit.Scale(k), Seq(operand), bound)
      }
  }
}
