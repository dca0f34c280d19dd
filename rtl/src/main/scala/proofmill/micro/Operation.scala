package proofmill.micro

import proofmill.arith.NonAdjacent

import scala.collection.mutable

/** A value of a program in a register. One unit writes it, so it is in that unit's bank.
  *
  * Values that must share a register (a variable before, in and after a loop) have the same `web`.
  */
final class Value(val bank: Int) {
  private var joined: Option[Value] = None

  /** The element of an array that a digit indexes; it determines the register. */
  var element: Option[(String, Int)] = None

  def web: Value = joined.fold(this)(_.web)
  def join(other: Value): Unit = if (web ne other.web) web.joined = Some(other.web)
}

object Value {
  val products: Int = WordFormat.banks.indexOf("products")
  val sums: Int = WordFormat.banks.indexOf("sums")
}

/** A value times plus or minus a power of two, or three times that. */
case class Term(value: Value, shift: Int, minus: Boolean, triple: Boolean = false) {
  def factor: Int = (if (triple) 3 else 1) << shift
}

/** A linear form: values with small integer factors. It is computed into a register only if no unit accepts it as an operand. */
case class LinearForm(factors: Map[Value, Int]) {
  def +(other: LinearForm): LinearForm = LinearForm.of(other.factors.foldLeft(factors) { case (sum, (value, k)) =>
    sum.updated(value, sum.getOrElse(value, 0) + k)
  })
  def *(k: Int): LinearForm = LinearForm.of(factors.map { case (value, factor) => value -> factor * k })
  def /(k: Int): LinearForm = LinearForm.of(factors.map { case (value, factor) => value -> factor / k })

  /** The largest power of two that divides all factors and that a unit can shift by. */
  def common: Int = (0 to LinearForm.largestShift).map(1 << _).filter(k => factors.values.forall(_ % k == 0)).max
  def -(other: LinearForm): LinearForm = this + -other
  def unary_- : LinearForm = this * -1

  /** The part with the most terms. */
  def part: LinearForm = LinearForm(Map(factors.maxBy { case (_, k) => LinearForm.powers(k).size }))
  def values: Set[Value] = factors.keySet

  /** The value and its sign, if the form is plus or minus one value. */
  def single: Option[(Value, Boolean)] =
    Option.when(factors.size == 1)(factors.head).collect { case (value, k) if k.abs == 1 => (value, k < 0) }

  /** The form as terms, with as few powers of two for each factor as possible. */
  def terms: Seq[Term] =
    factors.toSeq.flatMap { case (value, k) =>
      LinearForm.powers(k).map { case (shift, minus) => Term(value, shift, minus) }
    }

  /** Whether it can be an operand of any unit: at most two terms, no shift beyond the largest. */
  def fits: Boolean = terms.size <= 2 && terms.forall(_.shift <= LinearForm.largestShift)

  /** The terms of a factor of a product, one of which may be tripled; none if there are too many. */
  def factorTerms: Option[Seq[Term]] = if (fits) Some(terms) else factors.keys.toSeq.flatMap(tripled).headOption

  private def tripled(value: Value): Option[Seq[Term]] = {
    val k = factors(value)
    val own = LinearForm.powers(k / 3).map { case (shift, minus) => Term(value, shift, minus, triple = true) }
    val all = own ++ LinearForm(factors - value).terms
    Option.when(k % 3 == 0 && own.size == 1 && all.size <= 2 && all.forall(_.shift <= LinearForm.largestShift))(all)
  }
}

object LinearForm {
  val zero: LinearForm = new LinearForm(Map.empty)
  val largestShift: Int = WordFormat.mul("a_shift").all

  def apply(value: Value): LinearForm = LinearForm(Map(value -> 1))
  private def of(factors: Map[Value, Int]): LinearForm = LinearForm(factors.filter(_._2 != 0))

  /** Returns signed powers of two with the sum `k`: two that a unit can shift by, if they exist; 2 + 1 is preferred to 4 - 1. */
  def powers(k: Int): Seq[(Int, Boolean)] = {
    val one = for (shift <- 0 to largestShift; minus <- Seq(false, true)) yield shift -> minus
    val some = one.map(Seq(_)) ++ one.combinations(2)
    some.filter(_.map(worth).sum == k).minByOption(form => (form.size, form.map(_._1).max)).getOrElse(NonAdjacent(k))
  }
  private def worth(power: (Int, Boolean)): Int = if (power._2) -(1 << power._1) else 1 << power._1
}

/** One operation of a program before scheduling and register allocation.
  *
  * @param operation `mul`, or one of the linear unit's
  * @param left terms of the first factor, or of the sum
  * @param right terms of the second factor
  * @param reads values whose registers it reads; may be more than those of its terms (a lookup)
  * @param fields further fields of the word
  * @param target target of a jump
  */
final class Operation(
    val operation: String,
    val left: Seq[Term] = Seq.empty,
    val right: Seq[Term] = Seq.empty,
    val result: Option[Value] = None,
    val fields: Map[String, Int] = Map.empty,
    more: Seq[Value] = Seq.empty,
    val target: Option[Label] = None
) {

  /** Whether control never continues with the next operation: an unconditional jump. */
  def leaves: Boolean = operation == "end" ||
    operation == "jump" && fields("when") == 1 && Seq("lists", "test").forall(!fields.contains(_))

  val multiplies: Boolean = operation == "mul"
  val reads: Seq[Value] = ((left ++ right).map(_.value) ++ more).distinct

  /** Operations that must come earlier, besides those that compute its operands. */
  val after: mutable.Set[Operation] = mutable.Set.empty
}

/** A jump target: the block that begins at it. */
final class Label {
  var block: Int = -1
}

/** A basic block.
  *
  * @param last the final operations, in order: jumps, or the program's `end`
  * @param loop the label of the loop that it belongs to; the blocks of a loop are contiguous
  */
case class Block(operations: Seq[Operation], last: Seq[Operation], loop: Option[Label] = None) {

  /** Returns the successors of this block, which has the index `number`. */
  def ways(number: Int): Seq[Int] =
    last.flatMap(_.target).map(_.block) ++ Option.unless(last.lastOption.exists(_.leaves))(number + 1)

  /** Returns whether `later` comes after `earlier` in every order of the block. */
  def depends(later: Operation, earlier: Operation): Boolean = {
    val makers = operations.flatMap(op => op.result.map(_ -> op)).toMap
    val seen = mutable.Set.empty[Operation]
    def reaches(op: Operation): Boolean =
      (op eq earlier) || (seen.add(op) && (op.reads.flatMap(makers.get) ++ op.after).exists(reaches))
    reaches(later)
  }
}
