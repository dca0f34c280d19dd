package proofmill.engine.coprocessor

import proofmill.pairing.Layout
import proofmill.spec.Spec

import org.tomlj.TomlTable

import scala.jdk.CollectionConverters._

/** A type of slots. */
case class Kind(name: String, number: Int, slots: Int, field: String)

/** An instruction; `roles`: what its operands a, b, c say, empty for one that it does not have. */
case class Opcode(name: String, number: Int, roles: Seq[String])

/** What an operand of some role is when its type is known.
  *
  * @param slots how many it takes
  * @param second of a point: it is on the curve over Fp2
  */
case class Shape(legal: Boolean, slots: Int, second: Boolean = false, jacobian: Boolean = false)

/** The instruction set as `spec/wire/coprocessor.toml` has it. */
object InstructionSet {
  private val wire = Spec.table("wire/coprocessor")
  private def rows(key: String): Seq[TomlTable] = wire.getArray(key).toList.asScala.map { case row: TomlTable =>
    row
  }.toSeq
  private def number(row: TomlTable) = Spec.int(row, "number")

  val kinds: Seq[Kind] =
    rows("types").map(row => Kind(row.getString("name"), number(row), Spec.int(row, "slots"), row.getString("field")))
  val opcodes: Seq[Opcode] = rows("opcodes").map { row =>
    Opcode(row.getString("name"), number(row), Seq("a", "b", "c").map(o => Option(row.getString(o)).getOrElse("")))
  }
  val errors: Map[String, Int] = rows("errors").map(row => row.getString("name") -> number(row)).toMap

  def kind(name: String): Int = kinds.find(_.name == name).get.number
  def opcode(name: String): Opcode = opcodes.find(_.name == name).get

  /** The first instruction of our own; the register `extensions` begins with it. */
  val extensions = 0x24

  /** Slots of the lines of a point. */
  val lines: Int = Layout.lines * Layout.lineSlots

  val coefficients: Map[String, Int] = Map("fp" -> 1, "fp2" -> 2, "fp12" -> 12)
  val roles: Seq[String] = "" +: opcodes.flatMap(_.roles).filter(_.nonEmpty).distinct

  private val points = Map(
    "g1" -> Set("fp_jb", "scalar", "fe", "fp_af"),
    "g2" -> Set("fp2_jb", "scalar", "fe", "fe2", "fp2_af"),
    "point" -> Set("fp_af", "fp_jb", "fp2_af", "fp2_jb", "scalar", "fe2")
  )

  /** Of an operand by the type that counts for it: for an element or a result of elements that of a, for a resulting point the source's. */
  def shape(role: String, kind: Kind): Shape = {
    def isSecond(of: String) = of == "g2" || (of == "point" && !kind.name.startsWith("fp_"))
    def coordinate(second: Boolean) = if (second) 2 else 1
    role match {
      case "slot" | "to slot"       => Shape(legal = true, 1)
      case "value"                  => Shape(legal = true, kind.slots)
      case "element" | "to element" => Shape(legal = true, coefficients(kind.field))
      case "fp12"    => Shape(Set("scalar", "fe", "fe2", "fe12").contains(kind.name), coefficients("fp12"))
      case "to fp12" => Shape(legal = true, coefficients("fp12"))
      case "lines"   => Shape(Set("scalar", "fe", "fe2").contains(kind.name), lines)
      case of @ ("g1" | "g2" | "point") =>
        val (second, jacobian) = (isSecond(of), kind.name.endsWith("_jb"))
        Shape(points(of)(kind.name), coordinate(second) * (if (jacobian) 3 else 2), second, jacobian)
      case "to jacobian" => Shape(legal = true, 3 * coordinate(isSecond("point")), isSecond("point"), jacobian = true)
      case "to affine"   => Shape(legal = true, 2 * coordinate(isSecond("point")), isSecond("point"))
      case _             => Shape(legal = true, 0)
    }
  }
}
