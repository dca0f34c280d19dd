package proofmill.micro

import proofmill.arith.NonAdjacent

import scala.collection.mutable

/** Lowers sums and products to operations: what a unit's operands accept is folded into them, the rest is computed into
  * registers.
  *
  * The multiplier's operands are sums of two terms, so most additions of a formula cost nothing. If a sum has more terms, or
  * exceeds the bound that its reader accepts, an addition of the linear unit computes it; that unit's result is always
  * reduced.
  */
class Emission(val demands: Demands, constants: mutable.ArrayBuffer[BigInt]) {
  private val field = demands.arithmetic.field

  private var blocks = Vector.empty[Block]
  private var operations = Vector.empty[Operation]
  private var made = Map.empty[LinearForm, LinearForm]

  /** The state before an attempt to compile a loop's body, for backtracking. */
  case class Mark(blocks: Vector[Block], operations: Vector[Operation], made: Map[LinearForm, LinearForm])
  def mark: Mark = Mark(blocks, operations, made)
  def back(mark: Mark): Unit = {
    blocks = mark.blocks; operations = mark.operations; made = mark.made
  }

  def emit(operation: Operation): Unit = operations :+= operation
  def isFresh(value: Value): Boolean = operations.exists(_.result.contains(value))
  def open: Block = Block(operations, Seq.empty)

  def close(last: Seq[Operation], loop: Option[Label] = None): Unit = {
    blocks :+= Block(operations, last, loop)
    operations = Vector.empty
  }

  /** Places a label in front of the next block. */
  def place(label: Label): Unit = label.block = blocks.size
  def finished: Seq[Block] = blocks

  /** Invalidates results that depend on these values. */
  def forget(values: Set[Value]): Unit = made = made.filterNot { case (of, into) =>
    of.values.exists(values) || into.values.exists(values)
  }
  def recall(known: Map[LinearForm, LinearForm]): Unit = made = known

  /** Returns whether a sum can be deferred until it is an operand. */
  private def fits(sum: LinearForm): Boolean = sum.fits || sum.factorTerms.exists(demands.factor)

  def add(a: LinearForm, b: LinearForm): LinearForm =
    if (fits(a + b)) a + b
    else if (a.terms.size >= b.terms.size && a.terms.size > 1) add(oneTerm(a), b)
    else add(a, oneTerm(b))

  /** Returns the sum as one term. The register holds the value of which the sum is a multiple, so that other sums can share
    * it.
    */
  private def oneTerm(sum: LinearForm): LinearForm = {
    val k = if (sum.values.size == 1) 1 else sum.common
    register(sum / k) * k
  }

  def scale(k: Int, a: LinearForm): LinearForm =
    if ((a * k).fits) a * k
    else if (a.single.isEmpty) scale(k, register(a))
    else {
      // Horner's rule over the non-adjacent form, from the most significant digit.
      val low = NonAdjacent(k).collectFirst { case (0, minus) => if (minus) -1 else 1 }.getOrElse(0)
      val shift = Integer.numberOfTrailingZeros(k - low).min(LinearForm.largestShift)
      add(register(scale((k - low) >> shift, a)) * (1 << shift), a * low)
    }

  def mul(a: LinearForm, b: LinearForm): LinearForm = if (a.factors.isEmpty || b.factors.isEmpty) LinearForm.zero
  else {
    val (left, leftMinus) = factor(a)
    val (right, rightMinus) = factor(b)
    val result = new Value(Value.products)
    emit(new Operation("mul", left, right, Some(result)))
    LinearForm(result) * (if (leftMinus == rightMinus) 1 else -1)
  }

  /** Returns the terms of a factor, and whether they are its negative: at most one of two terms may be negative. */
  private def factor(sum: LinearForm): (Seq[Term], Boolean) = {
    sum.factorTerms.map(positive).filter { case (terms, _) => demands.factor(terms) }.getOrElse {
      val (value, minus) = register(sum).single.get
      (Seq(Term(value, 0, minus = false)), minus)
    }
  }

  private def positive(terms: Seq[Term]): (Seq[Term], Boolean) =
    if (terms.nonEmpty && terms.forall(_.minus)) (terms.map(_.copy(minus = false)), true) else (terms, false)

  /** Returns the sum, or its negative, in a register. */
  def register(sum: LinearForm): LinearForm = if (sum.single.nonEmpty) sum
  else made.get(sum).orElse(made.get(-sum).map(-_)).getOrElse(
    {
      val few = if (sum.fits) sum else register(sum.part) + (sum - sum.part)
      require(few.fits, "a sum has more than two terms")
      val (terms, minus) = positive(few.terms)
      val result = linear("add", terms)
      val found = LinearForm(result) * (if (minus) -1 else 1)
      made += sum -> found
      found
    }
  )

  /** Returns exactly the sum in a register. */
  def exactly(sum: LinearForm): Value = register(sum).single match {
    case Some((value, false)) => value
    case _ =>
      val Some((value, true)) = register(sum).single
      linear("add", Seq(Term(value, 0, minus = true)))
  }

  def linear(
      operation: String,
      terms: Seq[Term],
      fields: Map[String, Int] = Map.empty,
      reads: Seq[Value] = Seq.empty
  ): Value = {
    require(demands.reducible(terms), s"${field.name}: a sum is too large to be reduced")
    val result = new Value(Value.sums)
    emit(new Operation(operation, terms, Seq.empty, Some(result), fields, reads))
    result
  }

  def copy(value: Value): Value = linear("add", Seq(Term(value, 0, minus = false)))

  def constant(value: BigInt): LinearForm = {
    val residue = field.residue(value)
    if (residue == 0) LinearForm.zero else rom(residue)
  }

  private val fromRom = mutable.Map.empty[BigInt, Value]
  private def rom(residue: BigInt): LinearForm = {
    // A constant is loaded once and kept; its key in `made` is a sum of a value that no operation computes.
    val key = LinearForm(fromRom.getOrElseUpdate(residue, new Value(Value.sums))) * 2
    made.getOrElse(
      key, {
        if (!constants.contains(residue)) constants += residue
        val found = LinearForm(linear("rom", Seq.empty, Map("value" -> constants.indexOf(residue))))
        made += key -> found
        found
      }
    )
  }

  /** Returns an element of a port, combined from its slices. */
  def element(place: Int): LinearForm =
    (0 until demands.slices).map { i =>
      val slice = LinearForm(linear("load", Seq.empty, Map("value" -> (place * demands.slices + i))))
      demands.sliceWeight(i).fold(slice)(weight => mul(slice, constant(weight)))
    }.reduce((a, b) => LinearForm(exactly(add(a, b))))

  /** Computes the canonical integer of a sum, with destination `place`. */
  def settle(sum: LinearForm, place: Int, weigh: Boolean): Operation = {
    val weighed = if (weigh) demands.settleWeight.fold(sum)(weight => mul(sum, constant(weight))) else sum
    val terms = register(weighed).terms
    val settled = new Operation("settle", terms, fields = Map("dst" -> place, "wait_exact" -> 1))
    emit(settled)
    settled
  }
}
