package proofmill.engine.coprocessor

import proofmill.pairing.Layout
import proofmill.spec.Spec

import org.tomlj.TomlTable

import scala.jdk.CollectionConverters._

/** A type of slots. */
case class SlotType(name: String, number: Int, slots: Int, field: String)

/** An instruction. `roles`: those of the operands a, b, c; empty for an operand that it does not have. */
case class Opcode(name: String, number: Int, roles: Seq[String])

/** An operand, by its role and its type.
  *
  * @param slots the number of its slots
  * @param second a point of G2, on the curve over Fp2
  */
case class Shape(legal: Boolean, slots: Int, second: Boolean = false, jacobian: Boolean = false)

/** The instruction set, read from `spec/wire/coprocessor.toml`. */
object InstructionSet {
  private val wire = Spec.table("wire/coprocessor")
  private def rows(key: String): Seq[TomlTable] = wire.getArray(key).toList.asScala.map { case row: TomlTable =>
    row
  }.toSeq
  private def number(row: TomlTable) = Spec.int(row, "number")

  val types: Seq[SlotType] =
    rows("types").map(row =>
      SlotType(row.getString("name"), number(row), Spec.int(row, "slots"), row.getString("field"))
    )
  val opcodes: Seq[Opcode] = rows("opcodes").map { row =>
    Opcode(row.getString("name"), number(row), Seq("a", "b", "c").map(o => Option(row.getString(o)).getOrElse("")))
  }
  val errors: Map[String, Int] = rows("errors").map(row => row.getString("name") -> number(row)).toMap

  def typeNumber(name: String): Int = types.find(_.name == name).get.number
  def opcode(name: String): Opcode = opcodes.find(_.name == name).get

  /** The first opcode beyond the published ones; bit 0 of the register `extensions`. */
  val extensions = 0x24

  /** Slots of the line coefficients of a point. */
  val lines: Int = Layout.lines * Layout.lineSlots

  val coefficients: Map[String, Int] = Map("fp" -> 1, "fp2" -> 2, "fp12" -> 12)
  val roles: Seq[String] = "" +: opcodes.flatMap(_.roles).filter(_.nonEmpty).distinct

  private val points = Map(
    "g1" -> Set("fp_jb", "scalar", "fe", "fp_af"),
    "g2" -> Set("fp2_jb", "scalar", "fe", "fe2", "fp2_af"),
    "point" -> Set("fp_af", "fp_jb", "fp2_af", "fp2_jb", "scalar", "fe2")
  )

  /** Returns the shape of an operand. `slotType` is that of operand a for elements and their results, and that of the source for resulting points. */
  def shape(role: String, slotType: SlotType): Shape = {
    def isSecond(of: String) = of == "g2" || (of == "point" && !slotType.name.startsWith("fp_"))
    def coordinate(second: Boolean) = if (second) 2 else 1
    role match {
      case "slot" | "to slot"       => Shape(legal = true, 1)
      case "value"                  => Shape(legal = true, slotType.slots)
      case "element" | "to element" => Shape(legal = true, coefficients(slotType.field))
      case "fp12"    => Shape(Set("scalar", "fe", "fe2", "fe12").contains(slotType.name), coefficients("fp12"))
      case "to fp12" => Shape(legal = true, coefficients("fp12"))
      case "lines"   => Shape(Set("scalar", "fe", "fe2").contains(slotType.name), lines)
      case of @ ("g1" | "g2" | "point") =>
        val (second, jacobian) = (isSecond(of), slotType.name.endsWith("_jb"))
        Shape(points(of)(slotType.name), coordinate(second) * (if (jacobian) 3 else 2), second, jacobian)
      case "to jacobian" => Shape(legal = true, 3 * coordinate(isSecond("point")), isSecond("point"), jacobian = true)
      case "to affine"   => Shape(legal = true, 2 * coordinate(isSecond("point")), isSecond("point"))
      case _             => Shape(legal = true, 0)
    }
  }
}
