package proofmill.spec

import org.tomlj.TomlTable

import scala.jdk.CollectionConverters._

/** A curve `y^2 = x^3 + a x + b` of `spec/curves` over a prime field, with the properties that circuits use.
  *
  * @param formulas the curve's formula for each task, such as `madd`
  * @param edwards its form `a X^2 + Y^2 = 1 + d X^2 Y^2`, if it has one
  */
case class Curve(
    name: String,
    baseField: Field,
    scalarField: Field,
    a: BigInt,
    b: BigInt,
    generator: (BigInt, BigInt),
    edwards: Option[Edwards],
    formulas: Map[String, String]
) {

  /** Returns the value of a formula's constant on this curve. */
  def constant(name: String): BigInt = name match {
    case "b3" => baseField.residue(3 * b)
    case "k"  => baseField.residue(2 * edwards.getOrElse(sys.error(s"${this.name} has no Edwards form")).d)
    case _    => sys.error(s"$name is no constant of a curve")
  }

  def constants(formula: Formula): Map[String, BigInt] = formula.constants.map(c => c -> constant(c)).toMap
}

/** The coefficients of a twisted Edwards curve. */
case class Edwards(a: BigInt, d: BigInt)

object Curve {
  def apply(name: String): Curve = {
    val table = Spec.table(s"curves/$name")
    val g1 = table.getTable("g1")
    Curve(
      name,
      Field(table.getString("base_field")),
      Field(table.getString("scalar_field")),
      Spec.big(g1, "a"),
      Spec.big(g1, "b"),
      (Spec.big(g1, "x"), Spec.big(g1, "y")),
      Option(table.getTable("edwards")).map(form => Edwards(Spec.big(form, "a"), Spec.big(form, "d"))),
      texts(table.getTable("formulas"))
    )
  }

  private def texts(table: TomlTable): Map[String, String] =
    table.keySet.asScala.map(key => key -> table.getString(key)).toMap
}
