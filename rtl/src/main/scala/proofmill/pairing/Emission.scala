package proofmill.pairing

import proofmill.spec.{Formula => Text}

import scala.collection.mutable
import scala.collection.mutable.ArrayBuffer

/** A block's statements as operations of the units.
  *
  * Sums are put off: an expression stays a sum of registers with factors as long as the linear unit can take it in, or the
  * multiplier can as a factor. What does not fit has the larger one of its parts made first.
  */
class Emission(constant: String => Int) {
  import Emission._

  val operations = ArrayBuffer[Operation]()
  private val initial = mutable.LinkedHashMap[String, Value]()
  private val names = mutable.LinkedHashMap[String, Node]()

  /** Variables that the block reads as they are before it. */
  def readFirst: Iterable[String] = initial.keys
  def assigned: Iterable[String] = names.keys

  /** The value at the block's beginning, if it was read. */
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

  /** Puts what these variables are at the end into their registers. */
  def finish(homes: Set[String]): Unit =
    for ((name, node) <- names; if homes(name) && !isUnchanged(name, node)) {
      val sum = node.made match {
        case Some(Made(value)) if value.maker.exists(mayBeHome(_, name)) => value.maker.get.asInstanceOf[LinearSum]
        case _                                                           => add(new LinearSum(terms(node), None, None))
      }
      sum.home = Some(name)
    }

  /** Without what nobody reads. */
  def needed: Seq[Operation] = operations.foldRight(List.empty[Operation]) { (operation, later) =>
    val kept = operation match {
      case sum: LinearSum => sum.home.nonEmpty || sum.also.nonEmpty
      case _              => false
    }
    if (kept || later.exists(_.reads.contains(operation.value))) operation :: later else later
  }

  private def isUnchanged(name: String, node: Node) = initial.get(name).exists(old => terms(node) == Seq(Term(old, 1)))

  /** Can the operation write the variable's register? Nothing that reads the old value may depend on it. */
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

  // Formulas, floor by floor: a letter is `parts` elements of Fp2.

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

  /** As it is, or as several terms that a sum can take: 36 x = 24 x + 12 x. */
  private def several(term: Term): Seq[Term] =
    if (LinearSum.possible(term.factor) || term.factor.abs <= Emission.largest) Seq(term)
    else {
      val k = Emission.largest * term.factor.sign
      term.copy(factor = k) +: several(term.copy(factor = term.factor - k))
    }
  private def scaled(term: Term): Seq[Term] = {
    require(LinearSum.possible(term.factor), s"no sum takes a term ${term.factor} times")
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

  /** A product's result, k times. */
  private def one(node: Node, operation: Operation, k: Int): Seq[Term] = {
    node.result = Some(add(operation).value)
    node.scale = k
    terms(node)
  }

  /** A register that has it. */
  private def make(node: Node): Value = terms(node) match {
    case Seq(Term(value, 1, false, false)) => value
    case some =>
      val value = add(new LinearSum(some, None, None)).value
      node.made = Some(Made(value))
      value
  }

  /** Two factors, and what their product is still to be multiplied by. */
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

  /** x + x instead of x as a factor, if there is a 2 to be taken care of. */
  private def twice(factor: Factor, k: Int): (Factor, Int) =
    if (k % 2 == 0 && factor.b.isEmpty) (Factor(factor.a, Some(factor.a), minus = false), k / 2) else (factor, k)

  /** (12 xi x) (8 y) as (96 xi x) y: where one factor has to be made, or neither number could be left to a sum, what the other one is
    * multiplied by is made with it, so that the product is not multiplied by anything and can be one of two terms of a factor.
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

  /** As a factor, and what that is still to be multiplied by: a number k such that a sum takes in `result(k)` times something. */
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

  /** Is it to be made for a factor's sake? What stands in a register already, or what others read as well; nothing with xi or a conjugate. */
  private def isWorthIt(node: Node) =
    terms(node).forall(t => !t.xi && !t.conj) && (terms(node).size == 1 || node.readers > 1)
}

object Emission {

  /** Three times the constant of y^2 = x^3 + 4, and of y^2 = x^3 + 4 xi but for xi. */
  private val tripleB = 12

  /** What a sum can multiply a term by at most. */
  private val largest = 24

  /** An expression. `made`: the register that has it; for products `result` and how many times that they are; `readers`: expressions that have it in them. */
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
