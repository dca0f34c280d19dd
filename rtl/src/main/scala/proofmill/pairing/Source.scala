package proofmill.pairing

import java.nio.file.Files

import proofmill.spec.Spec

import scala.jdk.CollectionConverters._

/** The programs of a curve in `spec/pairing`: routines of statements over Fp2, before register allocation and encoding.
  *
  * `docs/rtl/pairing_processor.md` describes the language.
  */
case class Source(name: String, routines: Seq[Source.Routine]) {
  import Source._
  private val known = routines.map(_.name)
  for (name <- known.diff(known.distinct).headOption)
    sys.error(s"spec/pairing/${this.name}.asm: $name is defined twice")

  def routine(name: String): Routine =
    routines.find(_.name == name).getOrElse(sys.error(s"spec/pairing/${this.name}.asm: no routine $name"))
  def entries: Seq[Routine] = routines.filter(_.kind == Entry)
}

object Source {
  sealed trait Kind
  case object Once extends Kind

  /** A routine with one block, which is repeated as often as the caller specifies. */
  case object Loop extends Kind
  case object Entry extends Kind

  case class Routine(name: String, kind: Kind, statements: Seq[Statement])

  sealed trait Statement
  case class Assign(targets: Seq[String], right: Right) extends Statement

  /** Stores each element to two slots, or (`whole` is false) its first coordinate to one slot. */
  case class Store(base: Int, slot: Int, names: Seq[String], whole: Boolean) extends Statement
  case class Invert(name: String) extends Statement
  case object Await extends Statement

  /** `times` is 1 for a routine that is no loop. */
  case class Call(routine: String, times: Int) extends Statement

  /** The right side of an assignment, element by element except for a formula's outputs. */
  sealed trait Right

  /** The type of a formula's letters: elements of Fp2, elements of Fp as first coordinates, or pairs of elements of Fp. */
  sealed trait Over
  case object OverFp2 extends Over
  case object OverFp extends Over
  case object OverPairs extends Over

  case class Formula(name: String, arguments: Seq[String], over: Over) extends Right
  case class Binary(operation: String, a: Seq[String], b: Seq[String]) extends Right
  case class Unary(operation: String, a: Seq[String]) extends Right
  case class Scaled(factor: Int, a: Seq[String]) extends Right

  /** Loads each element from two slots, or an element of Fp from one slot. */
  case class Load(base: Int, slot: Int, whole: Boolean) extends Right

  /** Loads from the entry that a digit selects, of the table at operand b. */
  case class Digit(digit: Int, slot: Int, whole: Boolean) extends Right
  case class Constant(name: String) extends Right
  case object Inverse extends Right

  private val Name = """[A-Za-z]\w*"""
  private val Range = """([A-Za-z]\w*)\[(\d+):(\d+)\]""".r
  private val One = s"""$Name(?:\\[\\d+:\\d+\\])?"""
  private val Head = s"""(routine|entry)\\s+($Name)(\\s+loop)?""".r
  private val StoreIs = s"""(store|store_fp)\\s+([abcd])\\s+(\\d+)\\s+($One)""".r
  private val InvertIs = s"""invert\\s+($Name)""".r
  private val CallIs = s"""call\\s+($Name)""".r
  private val RepeatIs = s"""repeat\\s+(\\d+)\\s+($Name)""".r
  private val AssignIs = s"""($One(?:\\s+$One)*)\\s*=\\s*(.*)""".r
  private val LoadIs = """(load|load_fp)\s+([abcd])\s+(\d+)""".r
  private val DigitIs = """(digit|digit_fp)\s+(\d+)\s+(\d+)""".r
  private val ConstantIs = s"""constant\\s+($Name)""".r
  private val BinaryIs = s"""($One)\\s*([-+*.&])\\s*($One)""".r
  private val ScaledIs = s"""(\\d+)\\s*\\*\\s*($One)""".r
  private val UnaryIs = s"""(-|conj|xi)\\s*($One)""".r
  private val FormulaIs = s"""($Name)((?:\\s+$One)+?)(?:\\s+over\\s+(fp|pairs))?""".r

  def apply(name: String): Source = {
    val lines = Files.readAllLines(Spec.root.resolve(s"pairing/$name.asm")).asScala.toSeq
    val routines = lines.zipWithIndex.foldLeft(Seq.empty[Routine]) { case (found, (line, i)) =>
      def fault(what: String) = sys.error(s"spec/pairing/$name.asm:${i + 1}: $what")
      line.takeWhile(_ != '#').trim match {
        case "" => found
        case Head(word, routine, loop) =>
          val kind = if (word == "entry") Entry else if (loop != null) Loop else Once
          found :+ Routine(routine, kind, Seq.empty)
        case text =>
          if (found.isEmpty) fault("a statement before the first routine")
          val statement = parse(text).getOrElse(fault(s"`$text` is no statement"))
          found.init :+ found.last.copy(statements = found.last.statements :+ statement)
      }
    }
    Source(name, routines)
  }

  private def base(letter: String) = "abcd".indexOf(letter)

  private def names(text: String): Seq[String] = text match {
    case Range(name, from, until) => (from.toInt until until.toInt).map(i => s"$name$i")
    case name                     => Seq(name)
  }
  private def all(text: String): Seq[String] = text.trim.split("\\s+").toSeq.flatMap(names)

  private def parse(text: String): Option[Statement] = text match {
    case StoreIs(word, letter, slot, name) => Some(Store(base(letter), slot.toInt, names(name), word == "store"))
    case InvertIs(name)                    => Some(Invert(name))
    case "wait"                            => Some(Await)
    case CallIs(routine)                   => Some(Call(routine, 1))
    case RepeatIs(times, routine)          => Some(Call(routine, times.toInt))
    case AssignIs(targets, from)           => right(from).map(Assign(all(targets), _))
    case _                                 => None
  }

  private def right(text: String): Option[Right] = text match {
    case LoadIs(word, letter, slot)                            => Some(Load(base(letter), slot.toInt, word == "load"))
    case DigitIs(word, digit, slot)                            => Some(Digit(digit.toInt, slot.toInt, word == "digit"))
    case ConstantIs(name)                                      => Some(Constant(name))
    case "inverse"                                             => Some(Inverse)
    case BinaryIs(a, sign, b)                                  => Some(Binary(sign, names(a), names(b)))
    case ScaledIs(k, a)                                        => Some(Scaled(k.toInt, names(a)))
    case UnaryIs(word, a) if word == "-" || text.contains(' ') => Some(Unary(word, names(a)))
    case FormulaIs(name, arguments, over) =>
      Some(Formula(name, all(arguments), Map("fp" -> OverFp, "pairs" -> OverPairs).getOrElse(over, OverFp2)))
    case _ if text.matches(One) => Some(Unary("+", names(text)))
    case _                      => None
  }
}
