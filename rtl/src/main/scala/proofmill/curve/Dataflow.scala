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

  /** `factor` times the operand: additions, or only wiring where it is a power of two. */
  case class Scale(factor: Int) extends Unit("scale")

  /** The second operand where the first, a bit, is 1, and otherwise zero. */
  case object Gate extends Unit("gate")
  case object Reduce extends Unit("reduce")
}

/** One value that a pipeline computes: by what unit, from what, and what its digits may be. */
case class Operation(result: String, unit: Unit, operands: Seq[String], bound: Bound)

/** A formula broken up into what the units of a field do, with the bound of every value: what is computed, not yet when.
  *
  * A multiplication by a bit becomes a gate, one by a small constant a `scale`, and a value goes through
  * `reduce` (and is then called as before, with a prime: `t6'`) where a multiplication demands a smaller one, where an
  * addition would leave what can be reduced at all, or where it is asked for.
  *
  * @param bits inputs that are 0 or 1
  * @param inputs the bound of every other input
  * @param outputs formula output and the value that it is, in the formula's order
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
    case Unit.Scale(factor)                     => terms.scaleLatency(factor)
    case Unit.Gate                              => 0
    case Unit.Reduce                            => terms.reduceLatency
  }
}

object Dataflow {

  /** Constants up to this magnitude are factors of a `scale`. */
  private val Small = 64

  /** Breaks up a formula.
    *
    * @param constants the value of each constant of the formula, canonical
    * @param bounds what inputs may be; a multiplication's result where nothing is said
    * @param early lines whose result is reduced at once, so that whatever is made of it is smaller
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

    /** A sum or difference; operands that are too large for it are reduced, only the larger one where that is enough. */
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
