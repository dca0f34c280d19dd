package proofmill.spec

import org.tomlj.TomlTable

import scala.jdk.CollectionConverters._

/** A curve of `spec/curves`, with the properties that circuits use.
  *
  * @param g1 the curve over the prime field; the toy of G2 has none
  * @param nonResidue u^2, for coordinates in Fp2 = Fp(u), if the curve has such a group
  * @param formulas the curve's formula for each task, such as `madd`
  * @param edwards its form `a X^2 + Y^2 = 1 + d X^2 Y^2`, if it has one
  */
case class Curve(
    name: String,
    baseField: Field,
    scalarField: Field,
    g1: Option[Weierstrass],
    nonResidue: Option[BigInt],
    edwards: Option[Edwards],
    formulas: Map[String, String]
) {
  private def equation: Weierstrass = g1.getOrElse(sys.error(s"$name has no group over its prime field"))
  def b: BigInt = equation.b
  def generator: (BigInt, BigInt) = equation.generator

  /** Whether the equation is `y^2 = x^3 + b`. */
  def hasNoLinearTerm: Boolean = g1.forall(_.a == 0)

  /** Returns the value of a formula's constant on this curve. */
  def constant(name: String): BigInt = name match {
    case "b3" => baseField.residue(3 * b)
    case "k"  => baseField.residue(2 * edwards.getOrElse(sys.error(s"${this.name} has no Edwards form")).d)
    case _    => sys.error(s"$name is no constant of a curve")
  }

  def constants(formula: Formula): Map[String, BigInt] = formula.constants.map(c => c -> constant(c)).toMap
}

/** A curve `y^2 = x^3 + a x + b` and the generator of its group. */
case class Weierstrass(a: BigInt, b: BigInt, generator: (BigInt, BigInt))

/** The coefficients of a twisted Edwards curve. */
case class Edwards(a: BigInt, d: BigInt)

object Curve {
  def apply(name: String): Curve = {
    val table = Spec.table(s"curves/$name")
    Curve(
      name,
      Field(table.getString("base_field")),
      Field(table.getString("scalar_field")),
      Option(table.getTable("g1")).map(g1 =>
        Weierstrass(Spec.big(g1, "a"), Spec.big(g1, "b"), (Spec.big(g1, "x"), Spec.big(g1, "y")))
      ),
      Option(table.getTable("g2")).map(_ => Spec.big(table.getTable("tower"), "fp2")),
      Option(table.getTable("edwards")).map(form => Edwards(Spec.big(form, "a"), Spec.big(form, "d"))),
      Option(table.getTable("formulas")).fold(Map.empty[String, String])(texts)
    )
  }

  private def texts(table: TomlTable): Map[String, String] =
    table.keySet.asScala.map(key => key -> table.getString(key)).toMap
}
