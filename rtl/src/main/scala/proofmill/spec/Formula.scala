package proofmill.spec

import java.nio.file.Files

import scala.jdk.CollectionConverters._

/** A straight-line program of `spec/formulas`: every name is given once, before it is read.
  *
  * The letters stand for elements of any ring; constants are bound by whoever uses the formula.
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

  locally {
    val defined = inputs ++ constants ++ lines.map(_.result)
    for (twice <- defined.diff(defined.distinct).headOption) fault(s"$twice is given twice")
    lines.foldLeft((inputs ++ constants).toSet) { (known, line) =>
      for (unknown <- line.step.operands.filterNot(known))
        fault(s"${line.result} reads $unknown, which is not given before")
      known + line.result
    }
    for (missing <- outputs.filterNot(defined.toSet)) fault(s"output $missing is never given")
  }

  private def fault(text: String): Nothing = sys.error(s"spec/formulas/$name.slp: $text")

  /** The outputs for some inputs and constants, over a prime field. */
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

  private val Head = """(formula|source|over|inputs|constants|outputs)\s+(.*)""".r
  private val Assign = """(\w+)\s*=\s*(.*)""".r
  private val Binary = """([A-Za-z]\w*)\s*([-+*])\s*([A-Za-z]\w*)""".r
  private val Scaled = """(\d+)\s*\*\s*([A-Za-z]\w*)""".r
  private val Negated = """-\s*([A-Za-z]\w*)""".r

  def names: Seq[String] = Spec.names("formulas", ".slp")

  def apply(name: String): Formula = {
    val file = Spec.root.resolve(s"formulas/$name.slp")
    parse(name, Files.readAllLines(file).asScala.toSeq)
  }

  def parse(name: String, text: Seq[String]): Formula = {
    def fault(number: Int, what: String) = sys.error(s"spec/formulas/$name.slp:$number: $what")
    val written = for ((line, i) <- text.zipWithIndex; bare = line.takeWhile(_ != '#').trim; if bare.nonEmpty)
      yield (i + 1, bare)
    val heads = written.collect { case (_, Head(key, value)) => key -> value.trim }.toMap
    val lines = written.filterNot { case (_, line) => Head.matches(line) }.map {
      case (number, Assign(result, right)) =>
        right.trim match {
          case Binary(a, "+", b) => Line(result, Add(a, b))
          case Binary(a, "-", b) => Line(result, Sub(a, b))
          case Binary(a, "*", b) => Line(result, Mul(a, b))
          case Scaled(k, a)      => Line(result, Scale(k.toInt, a))
          case Negated(a)        => Line(result, Neg(a))
          case other             => fault(number, s"'$other' is not one operation")
        }
      case (number, other) => fault(number, s"'$other' is not an assignment")
    }
    def words(key: String) = heads.get(key).toSeq.flatMap(_.split("\\s+"))
    if (!heads.get("formula").contains(name)) fault(1, s"the formula is not called $name")
    Formula(
      name,
      heads.getOrElse("source", ""),
      heads.get("over"),
      words("inputs"),
      words("constants"),
      words("outputs"),
      lines
    )
  }
}
