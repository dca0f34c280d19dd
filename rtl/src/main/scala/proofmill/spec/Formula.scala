package proofmill.spec

import java.nio.file.Files

import scala.jdk.CollectionConverters._

/** A straight-line program of `spec/formulas`: every name is assigned once, before it is read.
  *
  * The letters represent elements of any ring; the user of the formula binds the constants.
  */
case class Formula(
    name: String,
    source: String,
    over: Option[String],
    inputs: Seq[String],
    constants: Seq[String],
    outputs: Seq[String],
    lines: Seq[Formula.Line]
) {
  import Formula._

  /** Evaluates the formula over a prime field. */
  def evaluate(field: Field, values: Map[String, BigInt]): Seq[BigInt] = {
    val found = lines.foldLeft(values) { (known, line) =>
      val value = line.step match {
        case Add(a, b)   => known(a) + known(b)
        case Sub(a, b)   => known(a) - known(b)
        case Mul(a, b)   => known(a) * known(b)
        case Neg(a)      => -known(a)
        case Scale(k, a) => known(a) * k
      }
      known + (line.result -> field.residue(value))
    }
    outputs.map(found)
  }
}

object Formula {
  sealed abstract class Step(val operands: Seq[String])
  case class Add(a: String, b: String) extends Step(Seq(a, b))
  case class Sub(a: String, b: String) extends Step(Seq(a, b))
  case class Mul(a: String, b: String) extends Step(Seq(a, b))
  case class Neg(a: String) extends Step(Seq(a))
  case class Scale(k: Int, a: String) extends Step(Seq(a))

  case class Line(result: String, step: Step)

  private val heads = Seq("formula", "source", "over", "inputs", "constants", "outputs")
  private val fields = Seq("fp2", "fp6")
  private val Name = """[A-Za-z]\w*"""
  private val Head = s"""(${heads.mkString("|")})(?:\\s+([^=\\s].*))?""".r
  private val Assign = s"""($Name)\\s*=\\s*(.*)""".r
  private val Binary = s"""($Name)\\s*([-+*])\\s*($Name)""".r
  private val Scaled = s"""(\\d+)\\s*\\*\\s*($Name)""".r
  private val Negated = s"""-\\s*($Name)""".r

  def names: Seq[String] = Spec.names("formulas", ".slp")

  def apply(name: String): Formula = {
    val found = parse(name, Files.readAllLines(Spec.root.resolve(s"formulas/$name.slp")).asScala.toSeq)
    if (found.name != name) fault(name, s"is called ${found.name}")
    found
  }

  /** Parses a formula; `spec/formulas/malformed.toml` lists the errors and their messages. */
  def parse(file: String, text: Seq[String]): Formula = {
    val written = for ((line, i) <- text.zipWithIndex; bare = line.takeWhile(_ != '#').trim; if bare.nonEmpty)
      yield (i + 1, bare)
    val (above, below) = written.span { case (_, line) => Head.matches(line) }
    val head = above.foldLeft(Map.empty[String, String]) { case (known, (number, Head(key, value))) =>
      if (known.contains(key)) faultAt(file, number, twice(key))
      known + (key -> Option(value).getOrElse(""))
    }
    for (key <- Seq("formula", "source", "inputs", "outputs"); if head.getOrElse(key, "").isEmpty)
      fault(file, s"`$key` is missing")
    for (over <- head.get("over"); if !fields.contains(over))
      fault(file, s"over $over: no such field, there are ${fields.mkString(", ")}")
    val numbered = below.map { case (number, line) => number -> assignment(file, number, line) }
    def words(key: String) = head.get(key).toSeq.flatMap(_.split("\\s+")).filter(_.nonEmpty)
    val found = Formula(
      head("formula"),
      head("source"),
      head.get("over"),
      words("inputs"),
      words("constants"),
      words("outputs"),
      numbered.map(_._2)
    )
    checkNames(file, found, numbered)
    found
  }

  private def twice(head: String) = s"`$head` stands twice or after the first line of the program"

  private def assignment(file: String, number: Int, line: String): Line = line match {
    case Head(key, _) => faultAt(file, number, twice(key))
    case Assign(result, right) =>
      right match {
        case Binary(a, "+", b) => Line(result, Add(a, b))
        case Binary(a, "-", b) => Line(result, Sub(a, b))
        case Binary(a, "*", b) => Line(result, Mul(a, b))
        case Scaled(k, a)      => Line(result, Scale(k.toInt, a))
        case Negated(a)        => Line(result, Neg(a))
        case other             => faultAt(file, number, s"`$other` is not one operation")
      }
    case other => faultAt(file, number, s"`$other` is no assignment")
  }

  /** Checks that every name is assigned once and read only after that, that constants are only factors, and that no line is
    * unused.
    */
  private def checkNames(file: String, formula: Formula, numbered: Seq[(Int, Line)]): Unit = {
    val first = formula.inputs ++ formula.constants
    for (name <- first.diff(first.distinct).headOption) fault(file, s"$name is given twice")
    val known = numbered.foldLeft(first.toSet) { case (known, (number, Line(result, step))) =>
      for (name <- step.operands) {
        if (!known(name)) faultAt(file, number, s"$name is read before it is given")
        if (formula.constants.contains(name) && !step.isInstanceOf[Mul])
          faultAt(file, number, s"constant $name is no factor here")
      }
      if (known(result)) faultAt(file, number, s"$result is given twice")
      known + result
    }
    for (name <- formula.outputs.filterNot(known)) fault(file, s"output $name is never given")
    val read = formula.lines.flatMap(_.step.operands).toSet ++ formula.outputs
    for (name <- (known -- read).toSeq.sorted) fault(file, s"$name is never read")
  }

  private def fault(file: String, what: String): Nothing = sys.error(s"spec/formulas/$file.slp: $what")
  private def faultAt(file: String, number: Int, what: String): Nothing =
    sys.error(s"spec/formulas/$file.slp:$number: $what")
}
