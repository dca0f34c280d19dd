package proofmill.pairing

import proofmill.spec.{Formula => Text}

import scala.collection.mutable
import scala.collection.mutable.ArrayBuffer

/** Lowers a block's statements to operations of the units.
  *
  * Sums are evaluated lazily: an expression remains a sum of registers with factors as long as the linear unit can add it, or
  * the multiplier can use it as a factor. If an expression does not fit, the larger one of its parts is computed first.
  */
class Emission(constant: String => Int) {
  import Emission._

  val operations = ArrayBuffer[Operation]()
  private val initial = mutable.LinkedHashMap[String, Value]()
  private val names = mutable.LinkedHashMap[String, Node]()

  /** Variables whose value at the beginning of the block is read. */
  def readFirst: Iterable[String] = initial.keys
  def assigned: Iterable[String] = names.keys

  /** Returns the variable's value at the beginning of the block, if it was read. */
  def before(variable: String): Option[Value] = initial.get(variable)

  def statement(statement: Source.Statement): Unit = statement match {
    case Source.Assign(targets, right) =>
      val found = nodes(right, targets.size)
      require(found.size == targets.size, s"${targets.mkString(" ")}: ${found.size} values")
      for ((name, node) <- targets.zip(found)) names(name) = node
    case Source.Store(base, slot, stored, whole) =>
      for ((name, i) <- stored.zipWithIndex)
        add(new LinearSum(terms(node(name)), None, Some(ToSlots(base, slot + (if (whole) 2 else 1) * i, whole))))
    case Source.Invert(name) => add(new LinearSum(terms(node(name)), None, Some(ToInverter)))
    case other               => sys.error(s"$other is no statement of a block")
  }

  /** Writes the final values of these variables to their registers. */
  def finish(homes: Set[String]): Unit =
    for ((name, node) <- names; if homes(name) && !isUnchanged(name, node)) {
      val sum = node.made match {
        case Some(Made(value)) if value.maker.exists(mayBeHome(_, name)) => value.maker.get.asInstanceOf[LinearSum]
        case _                                                           => add(new LinearSum(terms(node), None, None))
      }
      sum.home = Some(name)
    }

  /** Returns the operations without dead code. */
  def needed: Seq[Operation] = operations.foldRight(List.empty[Operation]) { (operation, later) =>
    val kept = operation match {
      case sum: LinearSum => sum.home.nonEmpty || sum.also.nonEmpty
      case _              => false
    }
    if (kept || later.exists(_.reads.contains(operation.value))) operation :: later else later
  }

  private def isUnchanged(name: String, node: Node) = initial.get(name).exists(old => terms(node) == Seq(Term(old, 1)))

  /** Whether the operation can write the variable's register: no reader of the old value may depend on it. */
  private def mayBeHome(operation: Operation, name: String): Boolean = operation match {
    case sum: LinearSum if sum.home.isEmpty && sum.also.isEmpty =>
      val later = mutable.Set[Value](sum.value)
      operations.dropWhile(_ ne sum).tail.forall { reader =>
        val depends = reader.reads.exists(later)
        if (depends) later += reader.value
        !depends || !initial.get(name).exists(reader.reads.contains)
      }
    case _ => false
  }

  private def add[T <: Operation](operation: T): T = {
    operations += operation
    operation
  }

  private def node(name: String): Node = names.getOrElse(name, read(name))
  private def read(name: String): Node = Made(initial.getOrElseUpdate(name, new Value(None, Some(name))))

  private def nodes(right: Source.Right, count: Int): Seq[Node] = right match {
    case Source.Formula(name, arguments, over) => formula(Text(name), arguments.map(node), over)
    case Source.Binary("+", a, b)              => a.zip(b).map { case (x, y) => Add(node(x), node(y), 1) }
    case Source.Binary("-", a, b)              => a.zip(b).map { case (x, y) => Add(node(x), node(y), -1) }
    case Source.Binary("*", a, b)              => a.zip(b).map { case (x, y) => product(node(x), node(y)) }
    case Source.Binary("&", a, b)              => a.zip(b).map { case (x, y) => Paired(node(x), node(y)) }
    case Source.Binary(_, a, b)                => a.zip(b).map { case (x, y) => Stretched(node(x), node(y)) }
    case Source.Unary("-", a)                  => a.map(x => Scale(-1, node(x)))
    case Source.Unary("conj", a)               => a.map(x => Conjugate(node(x)))
    case Source.Unary("xi", a)                 => a.map(x => Xi(node(x)))
    case Source.Unary(_, a)                    => a.map(node)
    case Source.Scaled(k, a)                   => a.map(x => Scale(k, node(x)))
    case Source.Load(base, slot, whole) =>
      Seq.tabulate(count)(i => outside(FromSlots(base, slot + (if (whole) 2 else 1) * i, whole)))
    case Source.Digit(digit, slot, whole) => Seq(outside(FromEntry(digit, slot, whole)))
    case Source.Constant("zero")          => Seq.fill(count)(Made(add(new LinearSum(Seq.empty, None, None)).value))
    case Source.Constant(name)            => Seq.fill(count)(outside(FromConstants(constant(name))))
    case Source.Inverse                   => Seq(outside(FromInverter))
  }
  private def outside(from: Outside): Node = Made(add(new LinearSum(Seq.empty, Some(from), None)).value)
  private def product(a: Node, b: Node): Node = if (a eq b) Squared(a) else Product(a, b)

  // Formulas, level by level of the tower: a letter is `parts` elements of Fp2.

  private def formula(text: Text, arguments: Seq[Node], over: Source.Over = Source.OverFp2): Seq[Node] = {
    val parts = text.over match {
      case Some("fp6") => 3
      case _           => 1
    }
    require(arguments.size == parts * text.inputs.size, s"${text.name}: ${arguments.size} arguments")
    val start = text.inputs.zip(arguments.grouped(parts).toSeq).toMap
    val known = text.lines.foldLeft(start) { (known, line) =>
      def both(a: String, b: String)(f: (Node, Node) => Node) = known(a).zip(known(b)).map { case (x, y) => f(x, y) }
      val found = line.step match {
        case Text.Add(a, b)   => both(a, b)(Add(_, _, 1))
        case Text.Sub(a, b)   => both(a, b)(Add(_, _, -1))
        case Text.Neg(a)      => known(a).map(Scale(-1, _))
        case Text.Scale(k, a) => known(a).map(Scale(k, _))
        case Text.Mul(a, b) =>
          val (constants, letters) = Seq(a, b).partition(text.constants.contains)
          (constants, letters.map(known)) match {
            case (Seq("xi"), Seq(x)) => x.map(Xi(_))
            case (Seq("v"), Seq(x))  => formula(Text("fp6_mul_v"), x)
            case (Seq("b3"), Seq(x)) => x.map(y => Scale(tripleB, if (over == Source.OverFp2) Xi(y) else y))
            case (Seq(), Seq(x, y)) if over == Source.OverFp    => Seq(Stretched(x.head, y.head))
            case (Seq(), Seq(x, y)) if over == Source.OverPairs => Seq(Paired(x.head, y.head))
            case (Seq(), Seq(x, y)) if parts == 1               => Seq(product(x.head, y.head))
            case (Seq(), Seq(x, _)) if a == b                   => formula(Text("fp6_sqr"), x)
            case (Seq(), Seq(x, y))                             => formula(Text("fp6_mul"), x ++ y)
            case _ => sys.error(s"${text.name}: constant ${constants.mkString}")
          }
      }
      known + (line.result -> found)
    }
    text.outputs.flatMap(known)
  }

  // Nodes as sums of registers.

  private def terms(node: Node): Seq[Term] = node.made match {
    case Some(Made(value)) => Seq(Term(value, 1))
    case None =>
      node match {
        case _ if node.result.isDefined => Seq(Term(node.result.get, node.scale))
        case Made(value)                => Seq(Term(value, 1))
        case Scale(k, a) =>
          val inner = terms(a).map(t => t.copy(factor = t.factor * k))
          val more = inner.flatMap(several)
          if (inner.forall(t => LinearSum.possible(t.factor))) inner
          else if (inner.size == 1 && more.size <= LinearSum.terms && more.forall(t => LinearSum.possible(t.factor)))
            more
          else scaled(Term(make(a), k))
        case Xi(a)        => lifted(a, t => !t.xi, _.copy(xi = true))
        case Conjugate(a) => lifted(a, t => !t.xi && !t.conj, _.copy(conj = true))
        case Add(a, b, sign) =>
          val sum = merged(terms(a) ++ terms(b).map(t => t.copy(factor = t.factor * sign))).flatMap(several)
          if (sum.size <= LinearSum.terms && sum.forall(t => LinearSum.possible(t.factor))) sum
          else {
            make(if (terms(a).size >= terms(b).size) a else b)
            terms(node)
          }
        case Squared(a) =>
          val (factor, k) = factorOf(a, k => k * k)
          val (doubled, half) = twice(factor, k)
          one(node, new Square(doubled), half * half)
        case Product(a, b) =>
          val (x, y, k) = factorsOf(a, b)
          one(node, new Multiply(x, y), k)
        case Stretched(a, b) =>
          val (x, y, k) = factorsOf(a, b)
          one(node, new Stretch(x, y), k)
        case Paired(a, b) =>
          val (x, y, k) = factorsOf(a, b)
          one(node, new Pair(x, y), k)
      }
  }

  /** Returns the term, split into several terms that a sum accepts if necessary: 36 x = 24 x + 12 x. */
  private def several(term: Term): Seq[Term] =
    if (LinearSum.possible(term.factor) || term.factor.abs <= Emission.largest) Seq(term)
    else {
      val k = Emission.largest * term.factor.sign
      term.copy(factor = k) +: several(term.copy(factor = term.factor - k))
    }
  private def scaled(term: Term): Seq[Term] = {
    require(LinearSum.possible(term.factor), s"a sum cannot multiply a term by ${term.factor}")
    Seq(term)
  }
  private def lifted(a: Node, fits: Term => Boolean, lift: Term => Term): Seq[Term] = {
    val inner = terms(a)
    (if (inner.forall(fits)) inner else Seq(Term(make(a), 1))).map(lift)
  }
  private def merged(terms: Seq[Term]): Seq[Term] = terms.foldLeft(Seq.empty[Term]) { (found, term) =>
    found.indexWhere(_.alike(term)) match {
      case -1 => found :+ term
      case i  => found.updated(i, term.copy(factor = term.factor + found(i).factor))
    }
  }.filter(_.factor != 0)

  /** Emits a product; its node is k times the result. */
  private def one(node: Node, operation: Operation, k: Int): Seq[Term] = {
    node.result = Some(add(operation).value)
    node.scale = k
    terms(node)
  }

  /** Returns a register with the node's value; emits a sum if there is none. */
  private def make(node: Node): Value = terms(node) match {
    case Seq(Term(value, 1, false, false)) => value
    case some =>
      val value = add(new LinearSum(some, None, None)).value
      node.made = Some(Made(value))
      value
  }

  /** Returns two factors and the number by which their product must still be multiplied. */
  private def factorsOf(a: Node, b: Node): (Factor, Factor, Int) =
    takenOver(a, b).orElse(takenOver(b, a).map(_.swap)) match {
      case Some((x, y)) => (x, y, 1)
      case None =>
        val (x, k) = factorOf(a)
        val (y, l) = factorOf(b, _ * k)
        val (first, once) = twice(x, k * l)
        val (second, rest) = twice(y, once)
        (first, second, rest)
    }

  /** Replaces the factor x by x + x if the remaining number k is even. */
  private def twice(factor: Factor, k: Int): (Factor, Int) =
    if (k % 2 == 0 && factor.b.isEmpty) (Factor(factor.a, Some(factor.a), minus = false), k / 2) else (factor, k)

  /** Computes (12 xi x) (8 y) as (96 xi x) y. If one factor must be computed anyway, or neither number can be deferred to a
    * sum, the other factor's number is computed with it. The product then has no remaining number and can be one of two terms
    * of a factor.
    */
  private def takenOver(a: Node, b: Node): Option[(Factor, Factor)] = (terms(a), terms(b)) match {
    case (Seq(x), Seq(Term(y, l, false, false)))
        if l.abs != 1 && x.factor.abs != 1 && !LinearSum.possible(x.factor * l) =>
      val all = several(x.copy(factor = x.factor * l))
      if (all.size > LinearSum.terms || !all.forall(t => LinearSum.possible(t.factor))) None
      else
        Some((Factor(add(new LinearSum(all, None, None)).value, None, minus = false), Factor(y, None, minus = false)))
    case _ => None
  }

  /** Returns a factor and the remaining number k, such that a sum accepts a term with the factor `result(k)`. */
  private def factorOf(node: Node, result: Int => Int = k => k): (Factor, Int) = {
    val now = terms(node)
    now match {
      case Seq(Term(x, k, false, false)) if LinearSum.possible(result(k)) => (Factor(x, None, minus = false), k)
      case Seq(Term(x, k, false, false), Term(y, l, false, false)) if k.abs == l.abs && LinearSum.possible(result(k)) =>
        (Factor(x, Some(y), minus = k != l), k)
      case _ =>
        node match {
          case Add(a, b, sign) if node.made.isEmpty && now.size > 2 && Seq(a, b).forall(isWorthIt) =>
            val (x, y) = (make(a), make(b))
            (Factor(x, Some(y), minus = sign < 0), 1)
          case _ => (Factor(make(node), None, minus = false), 1)
        }
    }
  }

  /** Whether computing the node for a factor is worthwhile: it is in a register already, or other expressions read it, and it
    * has neither xi nor a conjugate.
    */
  private def isWorthIt(node: Node) =
    terms(node).forall(t => !t.xi && !t.conj) && (terms(node).size == 1 || node.readers > 1)
}

object Emission {

  /** Three times the constant of y^2 = x^3 + 4; of y^2 = x^3 + 4 xi without its factor xi. */
  private val tripleB = 12

  /** Largest number by which a sum can multiply a term. */
  private val largest = 24

  /** An expression node.
    *
    * - `made`: the register with its value, if it was computed;
    * - `result` and `scale`: of a product, the result register and the number by which the node multiplies it;
    * - `readers`: the number of expressions that contain it.
    */
  sealed abstract class Node {
    var made: Option[Made] = None
    var result: Option[Value] = None
    var scale: Int = 0
    var readers: Int = 0
    override final def equals(other: Any): Boolean = this eq other.asInstanceOf[AnyRef]
    override final def hashCode: Int = System.identityHashCode(this)
  }
  case class Made(value: Value) extends Node
  sealed abstract class Reader(of: Node*) extends Node {
    for (node <- of) node.readers += 1
  }
  case class Add(a: Node, b: Node, sign: Int) extends Reader(a, b)
  case class Scale(k: Int, a: Node) extends Reader(a)
  case class Xi(a: Node) extends Reader(a)
  case class Conjugate(a: Node) extends Reader(a)
  case class Squared(a: Node) extends Reader(a)
  case class Product(a: Node, b: Node) extends Reader(a, b)
  case class Stretched(a: Node, b: Node) extends Reader(a, b)
  case class Paired(a: Node, b: Node) extends Reader(a, b)
}
