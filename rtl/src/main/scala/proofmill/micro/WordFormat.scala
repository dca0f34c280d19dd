package proofmill.micro

import org.tomlj.TomlArray
import proofmill.spec.Spec
import spinal.core._

/** A field of the instruction word: `bits` bits from bit `at`. */
case class WordField(name: String, at: Int, bits: Int) {
  val all: Int = (1 << bits) - 1
  def in(word: Bits): Bits = word(at, bits bits)
  def encode(value: Int): BigInt = {
    require(value >= 0 && value <= all, s"field $name: $value does not fit $bits bits")
    BigInt(value) << at
  }
}

/** The instruction word as `spec/micro/word.toml` defines it. */
object WordFormat {
  private val table = Spec.table("micro/word")
  private val common = fields("common", 0)

  val mul: Map[String, WordField] = named(common ++ fields("mul", end(common)))
  private val unit = common ++ fields("linear", end(common))
  val linear: Map[String, WordField] = named(unit ++ fields("sum", end(unit)))
  val jump: Map[String, WordField] = named(unit ++ fields("jump", end(unit)))
  val bits: Int = end(mul.values.toSeq ++ linear.values ++ jump.values)

  val operations: Seq[String] = texts("operations")
  def operation(name: String): Int = operations.indexOf(name).ensuring(_ >= 0, s"no operation $name")
  val banks: Seq[String] = texts("banks")
  val registers: Int = 1 << mul("dst").bits
  val flags: Int = 1 << linear("flag").bits
  val digitRegisters: Int = 1 << linear("digit").bits
  val lists: Int = jump("lists").bits

  private def fields(key: String, from: Int): Seq[WordField] = {
    val rows = table.getArray(key)
    (0 until rows.size).map(rows.getArray).foldLeft(Seq.empty[WordField]) { (found, row: TomlArray) =>
      found :+ WordField(row.getString(0), if (found.isEmpty) from else end(found), row.getLong(1).toInt)
    }
  }
  private def texts(key: String) = (0 until table.getArray(key).size).map(table.getArray(key).getString)
  private def end(fields: Seq[WordField]): Int = fields.map(f => f.at + f.bits).max
  private def named(fields: Seq[WordField]) = fields.map(field => field.name -> field).toMap
}
