package proofmill.pairing

import proofmill.spec.Spec

/** A bit field of the instruction word: `bits` bits from bit `at`. */
case class Field(name: String, at: Int, bits: Int) {
  def encode(value: Int): BigInt = {
    require(value >= 0 && BigInt(value) < (BigInt(1) << bits), s"field $name: $value does not fit $bits bits")
    BigInt(value) << at
  }
}

/** The instruction word as `spec/pairing/word.toml` defines it. The names of a part's fields begin with the name of the part. */
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

  /** Number of operands of a job. */
  val operands: Int = 1 << fields("base").bits

  /** Tables: slots of an entry, digits that select entries at the same time, bits of a digit. */
  private val tables = table.getTable("table")
  val entrySlots: Int = tables.getLong("slots").toInt
  val digits: Int = tables.getLong("digits").toInt
  val digitBits: Int = tables.getLong("bits").toInt
  val slotOfEntryBits = 3

  /** Precomputed line coefficients of a point: the number of lines, each an entry of its table, and their slots. */
  private val readyLines = Spec.table("wire/coprocessor").getTable("lines")
  val (lines, lineSlots) = (Spec.int(readyLines, "count"), Spec.int(readyLines, "slots"))

  /** The operand at which a table begins. */
  val tableOperand = 1

  /** Bits of the first slot of an entry, relative to its table. */
  val entryBits: Int = BigInt((entrySlots << digitBits).max(lines * lineSlots)).bitLength

  /** Returns the `value` field of a word that reads a slot of the entry that a digit selects. */
  def entry(digit: Int, slot: Int): Int = {
    require(digit < digits && slot < entrySlots, s"digit $digit has no slot $slot")
    (digit << slotOfEntryBits) | slot
  }
  val registers: Int = 1 << fields("mul_dst").bits
  val longestGap: Int = 1 << fields("next_gap").bits
  def control(name: String): Int = controls.indexOf(name).ensuring(_ >= 0, s"no control $name")

  /** Returns a word with these fields; all other fields are 0. */
  def word(values: (String, Int)*): BigInt = values.map { case (name, value) => fields(name).encode(value) }.sum
}
