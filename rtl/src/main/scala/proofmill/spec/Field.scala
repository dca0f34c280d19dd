package proofmill.spec

import scala.jdk.CollectionConverters._

/** `divisor * modulus` as a polynomial in `z`, constant term first, for residues with digits in base `z`. */
case class BaseZ(z: BigInt, polynomial: Seq[Int], divisor: Int) {
  def value: BigInt = polynomial.reverse.foldLeft(BigInt(0))((sum, c) => sum * z + c)
}

/** A prime field of `spec/fields`. */
case class Field(name: String, modulus: BigInt, generator: Option[BigInt], baseZ: Option[BaseZ]) {
  for (form <- baseZ) require(form.value == modulus * form.divisor, s"$name: base_z does not give the modulus")

  val bits: Int = modulus.bitLength

  /** The least residue of any integer. */
  def residue(value: BigInt): BigInt = value.mod(modulus)
  def inverse(value: BigInt): BigInt = value.modInverse(modulus)
}

object Field {
  def apply(name: String): Field = {
    val table = Spec.table(s"fields/$name")
    val baseZ = Option(table.getTable("base_z")).map { form =>
      BaseZ(
        Spec.big(form, "z"),
        form.getArray("polynomial").toList.asScala.map(c => BigInt(c.toString).toInt).toSeq,
        Spec.int(form, "divisor")
      )
    }
    Field(
      name,
      Spec.big(table, "modulus"),
      Option.when(table.contains("generator"))(Spec.big(table, "generator")),
      baseZ
    )
  }

  /** Names of the fields that have circuits: all but those with `software_only`. */
  def names: Seq[String] = Spec.names("fields").filterNot(name => Spec.table(s"fields/$name").contains("software_only"))
}
