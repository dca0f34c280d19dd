package proofmill.pairing

import proofmill.spec.Spec

/** A field of the word: `bits` bits from bit `at`. */
case class Field(name: String, at: Int, bits: Int) {
  def encode(value: Int): BigInt = {
    require(value >= 0 && BigInt(value) < (BigInt(1) << bits), s"field $name: $value does not fit $bits bits")
    BigInt(value) << at
  }
}

/** The word as `spec/pairing/word.toml` has it: its fields by name, those of a part behind the part's name. */
object Layout {
  private val table = Spec.table("pairing/word")
  private def rows(key: String): Seq[(String, Int)] = {
    val list = table.getArray(key)
    (0 until list.size).map(list.getArray).map(row => row.getString(0) -> row.getLong(1).toInt)
  }
  private def prefixed(prefix: String, key: String) = rows(key).map { case (name, bits) => s"$prefix$name" -> bits }
  private val all: Seq[(String, Int)] =
    rows("control") ++ prefixed("next_", "info") ++ prefixed("first_", "info") ++ rows("mul") ++
      Seq("a", "a2", "b", "b2").flatMap(x => prefixed(s"${x}_", if (x.endsWith("2")) "second" else "register")) ++
      rows("sum") ++ (0 until LinearSum.terms).flatMap(i => prefixed(s"t${i}_", "term"))

  val fields: Map[String, Field] =
    all.zip(all.scanLeft(0)(_ + _._2)).map { case ((name, bits), at) => name -> Field(name, at, bits) }.toMap
  val bits: Int = all.map(_._2).sum

  private def texts(key: String) = (0 until table.getArray(key).size).map(table.getArray(key).getString)
  val controls: Seq[String] = texts("controls")
  val outsides: Seq[String] = texts("outsides")
  val alsos: Seq[String] = texts("alsos")

  /** Of a job. */
  val operands: Int = 1 << fields("base").bits

  /** Of tables: slots of an entry, digits at a time, bits of a digit. */
  private val tables = table.getTable("table")
  val entrySlots: Int = tables.getLong("slots").toInt
  val digits: Int = tables.getLong("digits").toInt
  val digitBits: Int = tables.getLong("bits").toInt
  val slotOfEntryBits = 3

  /** Lines of a point, each an entry of its table, and their slots. */
  private val readyLines = Spec.table("wire/coprocessor").getTable("lines")
  val (lines, lineSlots) = (Spec.int(readyLines, "count"), Spec.int(readyLines, "slots"))

  /** The operand behind which a table begins. */
  val tableOperand = 1

  /** Of the first slot of an entry, in its table. */
  val entryBits: Int = BigInt((entrySlots << digitBits).max(lines * lineSlots)).bitLength

  /** The value of a word that reads a slot of the entry of a digit. */
  def entry(digit: Int, slot: Int): Int = {
    require(digit < digits && slot < entrySlots, s"digit $digit has no slot $slot")
    (digit << slotOfEntryBits) | slot
  }
  val registers: Int = 1 << fields("mul_dst").bits
  val longestGap: Int = 1 << fields("next_gap").bits
  def control(name: String): Int = controls.indexOf(name).ensuring(_ >= 0, s"no control $name")

  /** A word that has these fields, and 0 in all others. */
  def word(values: (String, Int)*): BigInt = values.map { case (name, value) => fields(name).encode(value) }.sum
}
