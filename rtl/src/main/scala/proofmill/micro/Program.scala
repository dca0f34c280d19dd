package proofmill.micro

import java.nio.file.Files

import proofmill.spec.{Formula, Spec}

import scala.jdk.CollectionConverters._

/** The syntax tree of a program in `spec/micro`, before registers and words.
  *
  * `docs/rtl/microcode.md` describes the language.
  */
case class Program(name: String, windows: Seq[Program.Window], statements: Seq[Program.Statement])

object Program {

  /** Digits -2^(bits-1) … 2^(bits-1) of the operand `number`; the digit register `name` holds one at a time. */
  case class Window(name: String, number: String, bits: Int)

  /** Returns the number of digits of Booth's recoding of a number of `numberBits` bits. */
  def places(window: Window, numberBits: Int): Int = (numberBits + window.bits) / window.bits

  /** A name with an optional index; an index is a number, a variable of `for` with an offset, or a digit register. */
  case class Ref(name: String, index: Option[String] = None, signed: Boolean = false)

  sealed trait Statement { val line: Int }
  case class Call(line: Int, targets: Seq[Ref], formula: String, arguments: Seq[Ref]) extends Statement
  case class Assign(line: Int, target: Ref, step: Formula.Step, operands: Seq[Ref]) extends Statement
  case class Copy(line: Int, target: Ref, from: Ref) extends Statement
  case class Choose(line: Int, target: Ref, flag: String, set: Ref, clear: Ref) extends Statement
  case class Power(line: Int, target: Ref, base: Ref, exponent: String) extends Statement
  case class Zero(line: Int, flag: String, of: Ref) extends Statement
  case class Result(line: Int, name: String, from: Ref) extends Statement
  case class Digit(line: Int, window: String, place: String) extends Statement
  case class For(line: Int, variable: String, first: Int, last: Int, body: Seq[Statement]) extends Statement
  case class Loop(line: Int, variable: String, first: String, body: Seq[Statement]) extends Statement
  case class Take(line: Int, list: String) extends Statement
  case class Stop(line: Int, unlessSet: Boolean, flag: String) extends Statement
  case class Do(line: Int, ways: Seq[On]) extends Statement
  case class On(line: Int, guard: Guard, body: Seq[Statement]) extends Statement

  /** A guard: the counter satisfies `test`, and all these lists have items. If true, the counter is decreased by `less`. */
  case class Guard(test: Option[(Char, Int)], lists: Seq[String], less: Int)

  def names: Seq[String] = Spec.names("micro", ".asm")

  def apply(name: String): Program =
    parse(name, Files.readAllLines(Spec.root.resolve(s"micro/$name.asm")).asScala.toSeq)

  private val Name = """[A-Za-z]\w*"""
  private val Operand = s"""(?:\\+-)?(?:$Name(?:\\[[^\\]]+\\])?|\\d+)"""
  private val Reference = s"""(\\+-)?($Name|\\d+)(?:\\[([^\\]]+)\\])?""".r
  private val WindowIs = s"""window\\s+($Name)\\s*=\\s*($Name)\\s+(\\d+)""".r
  private val ForIs = s"""for\\s+($Name)\\s*=\\s*(\\d+)\\s*\\.\\.\\s*(\\d+)""".r
  private val LoopIs = s"""loop\\s+($Name)\\s*=\\s*(.+?)\\s*\\.\\.\\s*0""".r
  private val DigitIs = s"""digit\\s+($Name)\\s*=\\s*(.+)""".r
  private val ZeroIs = s"""flag\\s+($Name)\\s*=\\s*zero\\s+($Operand)""".r
  private val ResultIs = s"""result\\s+($Name)\\s*=\\s*($Operand)""".r
  private val TakeIs = s"""take\\s+($Name)""".r
  private val StopIs = s"""stop\\s+(if|unless)\\s+($Name)""".r
  private val OnIs = """on\s+([^:]+?)(?:\s*:\s*count\s*-\s*(\d+))?""".r
  private val TestIs = """count\s*([=>])\s*(\d+)""".r
  private val AssignIs = s"""((?:$Operand\\s+)*$Operand)\\s*=\\s*(.+)""".r
  private val Binary = s"""($Operand)\\s*([-+*])\\s*($Operand)""".r
  private val Negated = s"""-\\s*($Operand)""".r
  private val Chosen = s"""($Name)\\s*\\?\\s*($Operand)\\s*:\\s*($Operand)""".r
  private val Raised = s"""($Operand)\\s*\\^\\s*(.+)""".r
  private val Called = s"""($Name)((?:\\s+$Operand)+)""".r
  private val Plain = s"""($Operand)""".r

  def parse(name: String, text: Seq[String]): Program = {
    val written = for ((line, i) <- text.zipWithIndex; bare = line.takeWhile(_ != '#').trim; if bare.nonEmpty)
      yield (i + 1, bare)
    val windows = written.collect { case (_, WindowIs(window, number, bits)) => Window(window, number, bits.toInt) }
    val code = written.filterNot { case (_, line) => WindowIs.matches(line) }
    val (statements, rest) = block(name, code.toList)
    for ((line, _) <- rest.headOption) fault(name, line, "'end' without a beginning")
    for (twice <- windows.map(_.name).diff(windows.map(_.name).distinct).headOption)
      sys.error(s"spec/micro/$name.asm: there are two windows called $twice")
    Program(name, windows, statements)
  }

  private type Lines = List[(Int, String)]

  /** Parses statements up to the closing `end`; returns them and the remaining lines. */
  private def block(name: String, lines: Lines): (Seq[Statement], Lines) = lines match {
    case Nil | (_, "end") :: _ => (Seq.empty, lines)
    case (line, ForIs(variable, first, last)) :: inside =>
      enclosed(name, line, inside)(For(line, variable, first.toInt, last.toInt, _))
    case (line, LoopIs(variable, first)) :: inside => enclosed(name, line, inside)(Loop(line, variable, first, _))
    case (line, "do") :: inside                    => enclosed(name, line, inside)(ways(name, line, _))
    case (line, OnIs(conditions, less)) :: inside =>
      enclosed(name, line, inside)(On(line, guard(name, line, conditions, less), _))
    case (line, text) :: tail =>
      val (after, rest) = block(name, tail)
      (statement(name, line, text) +: after, rest)
  }

  private def enclosed(name: String, line: Int, inside: Lines)(make: Seq[Statement] => Statement) =
    block(name, inside) match {
      case (body, _ :: tail) =>
        val (after, rest) = block(name, tail)
        (make(body) +: after, rest)
      case _ => fault(name, line, "there is no 'end' to it")
    }

  private def ways(name: String, line: Int, body: Seq[Statement]) = Do(
    line,
    body.map {
      case on: On => on
      case other  => fault(name, other.line, "in a 'do' there is nothing but 'on'")
    }
  )

  private def guard(name: String, line: Int, conditions: String, less: String): Guard = {
    val (tests, lists) = conditions.split(",").toSeq.map(_.trim).partition(TestIs.matches)
    if (tests.size > 1) fault(name, line, "the count is tested twice")
    for (other <- lists.find(!_.matches(Name))) fault(name, line, s"'$other' is no condition")
    val test = tests.headOption.collect { case TestIs(sign, number) => (sign.head, number.toInt) }
    Guard(test, lists, Option(less).fold(0)(_.toInt))
  }

  private def statement(name: String, line: Int, text: String): Statement = text match {
    case TakeIs(list)           => Take(line, list)
    case StopIs(when, flag)     => Stop(line, when == "unless", flag)
    case DigitIs(window, place) => Digit(line, window, place)
    case ZeroIs(flag, of)       => Zero(line, flag, reference(of))
    case ResultIs(result, from) => Result(line, result, reference(from))
    case AssignIs(targets, right) =>
      assignment(line, targets.split("\\s+").toSeq.map(reference), right.trim)
        .getOrElse(fault(name, line, s"'$right' is not an operation"))
    case _ => fault(name, line, s"'$text' is not a statement")
  }

  private def assignment(line: Int, targets: Seq[Ref], right: String): Option[Statement] =
    (targets, right) match {
      case (Seq(target), Plain(from)) => Some(Copy(line, target, reference(from)))
      case (Seq(target), Chosen(flag, set, clear)) =>
        Some(Choose(line, target, flag, reference(set), reference(clear)))
      case (Seq(target), Raised(base, exponent)) => Some(Power(line, target, reference(base), exponent))
      case (Seq(target), Negated(a))             => Some(Assign(line, target, Formula.Neg("a"), Seq(reference(a))))
      case (Seq(target), Binary(a, sign, b))     => Some(binary(line, target, reference(a), sign, reference(b)))
      case (_, Called(formula, arguments)) =>
        Some(Call(line, targets, formula, arguments.trim.split("\\s+").toSeq.map(reference)))
      case _ => None
    }

  private def binary(line: Int, target: Ref, a: Ref, sign: String, b: Ref): Statement = sign match {
    case "+"                             => Assign(line, target, Formula.Add("a", "b"), Seq(a, b))
    case "-"                             => Assign(line, target, Formula.Sub("a", "b"), Seq(a, b))
    case "*" if a.name.forall(_.isDigit) => Assign(line, target, Formula.Scale(a.name.toInt, "a"), Seq(b))
    case _                               => Assign(line, target, Formula.Mul("a", "b"), Seq(a, b))
  }

  private def reference(text: String): Ref = text match {
    case Reference(sign, name, index) => Ref(name, Option(index).map(_.trim), sign != null)
  }

  private def fault(name: String, line: Int, what: String): Nothing = sys.error(s"spec/micro/$name.asm:$line: $what")
}
