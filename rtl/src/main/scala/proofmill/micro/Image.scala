package proofmill.micro

import proofmill.field.Arithmetic

import scala.collection.mutable

/** A program in the program memory: where it begins, what it needs, and which of the flags it sets are called how. */
case class Entry(name: String, address: Int, words: Int, products: Int, sums: Int, flags: Map[String, Int])

/** Constants of the curve under the names that programs give them: single ones, and tables that an item looks into. */
case class Constants(single: Map[String, BigInt], tables: Map[String, Seq[BigInt]] = Map.empty)

/** All programs of a processor as words, with the constants, tables and windows that they share. */
case class Image(
    entries: Seq[Entry],
    words: Seq[BigInt],
    listing: Seq[String],
    constants: Seq[BigInt],
    tables: Seq[Seq[BigInt]],
    windows: Seq[Program.Window]
) {

  /** Registers that the programs use of each bank. */
  def registers: Seq[Int] = Seq(entries.map(_.products).max, entries.map(_.sums).max)
}

object Image {

  /** Compiles programs for one field. `known` are the constants in their text, such as b3. */
  def apply(
      programs: Seq[Program],
      arithmetic: Arithmetic,
      door: Door,
      known: Constants,
      pace: Pace
  ): Image = {
    val demands = new Demands(arithmetic)
    val windows = programs.flatMap(_.windows).distinctBy(w => (w.number, w.bits))
    val constants = mutable.ArrayBuffer.empty[BigInt]
    val words = mutable.ArrayBuffer.empty[BigInt]
    val listing = mutable.ArrayBuffer.empty[String]
    val entries = programs.map { program =>
      val emission = new Emission(demands, constants)
      val expansion = new Expansion(program, door, windows, known, emission)
      val blocks = living(expansion.blocks)
      val placed = Schedule(blocks, pace)
      val registers = new Allocation(placed.map(_.map(_.operation)), loops(blocks), expansion.arraySizes)
      val address = words.size
      val targets = placed.map(_.size).scanLeft(address)(_ + _)
      listing += s"$address: ${program.name}"
      val assembly = new Assembly(registers, targets)
      for (word <- placed.flatten.map(assembly.encode)) {
        listing += f"${words.size}%5d  ${Listing.text(word)}"
        words += word
      }
      val used = registers.used
      Entry(program.name, address, words.size - address, used(Value.products), used(Value.sums), expansion.flagNumbers)
    }
    Image(entries, words.toSeq, listing.toSeq, constants.toSeq, known.tables.values.toSeq, windows)
  }

  /** For each block of a loop its blocks. */
  private def loops(blocks: Seq[Block]): Seq[Option[Range]] = blocks.map(_.loop.map { label =>
    val own = blocks.indices.filter(blocks(_).loop.contains(label))
    own.head to own.last
  })

  /** The blocks without operations whose results nobody reads. */
  private def living(blocks: Seq[Block]): Seq[Block] = {
    val read = blocks.flatMap(_.operations).flatMap(_.reads).map(_.web).toSet
    def lives(op: Operation) = op.result.forall(result => read(result.web) || result.element.nonEmpty)
    val left = blocks.map(block => block.copy(operations = block.operations.filter(lives)))
    if (left == blocks) blocks else living(left)
  }
}

/** Operations with registers as words; `blocks` tells where each block begins. */
class Assembly(registers: Allocation, blocks: Seq[Int]) {
  def encode(placed: Placed): BigInt = {
    val op = placed.operation
    val common = Map(
      "wait_mul" -> placed.waitMul.min(WordFormat.mul("wait_mul").all),
      "wait_lin" -> placed.waitLinear.min(WordFormat.mul("wait_lin").all),
      "dst" -> op.result.fold(0)(registers(_))
    )
    if (op.multiplies)
      pack(WordFormat.mul, common ++ Map("unit" -> 0) ++ factor("a", "b", op.left) ++ factor("c", "d", op.right))
    else {
      val unit = Map("unit" -> 1, "operation" -> WordFormat.operation(op.operation))
      val target = op.target.map(label => "value" -> blocks(label.block)).toMap
      val format = if (Seq("jump", "end").contains(op.operation)) WordFormat.jump else WordFormat.linear
      pack(format, common ++ unit ++ sum(op.left) ++ target ++ op.fields)
    }
  }

  private def term(letter: String, term: Term): Map[String, Int] = Map(
    s"${letter}_bank" -> term.value.bank,
    s"${letter}_reg" -> registers(term.value),
    s"${letter}_shift" -> term.shift,
    s"${letter}_minus" -> (if (term.minus) 1 else 0)
  ) ++ Option.when(term.triple)(s"${letter}_triple" -> 1)

  private def factor(first: String, second: String, terms: Seq[Term]): Map[String, Int] = terms match {
    case Seq(a, b) => term(first, a) ++ term(second, b) + (s"${second}_on" -> 1)
    case Seq(a)    => term(first, a)
  }

  private def sum(terms: Seq[Term]): Map[String, Int] =
    terms.zip(Seq("a", "b")).flatMap { case (t, letter) => term(letter, t) + (s"${letter}_when" -> 1) }.toMap

  private def pack(fields: Map[String, WordField], values: Map[String, Int]): BigInt =
    values.map { case (name, value) => fields(name).encode(value) }.foldLeft(BigInt(0))(_ | _)
}

/** A word as text. */
object Listing {
  def text(word: BigInt): String = {
    def of(fields: Map[String, WordField])(name: String) = ((word >> fields(name).at) & fields(name).all).toInt
    if (of(WordFormat.mul)("unit") == 0) product(of(WordFormat.mul))
    else WordFormat.operations(of(WordFormat.linear)("operation")) match {
      case "jump" => jump(of(WordFormat.jump))
      case "end"  => s"${waits(of(WordFormat.jump))} end"
      case _      => linear(of(WordFormat.linear))
    }
  }

  private def waits(field: String => Int) =
    Seq("mul" -> "m", "lin" -> "s").map { case (unit, letter) =>
      val count = field(s"wait_$unit")
      if (count == WordFormat.mul(s"wait_$unit").all) "   " else f"$letter$count%-2d"
    }.mkString(" ") + (if (field("wait_exact") == 1) " x" else "  ")

  private def term(field: String => Int, letter: String, times: Int = 1): String = {
    val name = "ps" (field(s"${letter}_bank"))
    val register = s"$name${field(s"${letter}_reg")}"
    (if (field(s"${letter}_minus") == 1) "-" else "+") + (times << field(s"${letter}_shift")) + register
  }

  private def product(field: String => Int): String = {
    def factor(a: String, b: String) =
      "(" + term(field, a, 1 + 2 * field(s"${a}_triple")) + (if (field(s"${b}_on") == 1) " " + term(field, b) else "") + ")"
    s"${waits(field)} p${field("dst")} = ${factor("a", "b")} ${factor("c", "d")}"
  }

  private def linear(field: String => Int): String = {
    val operation = WordFormat.operations(field("operation"))
    def when(letter: String) =
      Seq(None, Some(""), Some(s" if f${field("flag")}"), Some(s" unless f${field("flag")}"))(field(s"${letter}_when"))
        .map(condition => term(field, letter) + condition)
    val signed = if (field("a_signed") == 1) " signed" else ""
    val lookup = if (field("a_lookup") == 1 || operation == "table") s"[d${field("digit")}]$signed" else ""
    val terms = (Seq("a", "b").flatMap(when(_)).mkString(" ") + lookup)
    val value = s"${field("value")}${if (field("counted") == 1) " + counter" else ""}"
    val what = operation match {
      case "add"          => s"s${field("dst")} = $terms"
      case "load" | "rom" => s"s${field("dst")} = $operation $value"
      case "digit"        => s"digit d${field("digit")} = window ${field("dst")} place $value"
      case "table"        => s"s${field("dst")} = table $value$lookup"
      case "take"         => s"take d${field("digit")} = list ${field("dst")}"
      case "settle"       => s"settle ${field("dst")} = $terms"
      case other          => s"$other $value"
    }
    s"${waits(field)} $what"
  }

  private def jump(field: String => Int): String = {
    val flag = Seq(Some("never"), None, Some(s"f${field("flag")}"), Some(s"not f${field("flag")}"))(field("when"))
    val lists = (0 until WordFormat.lists).filter(i => (field("lists") >> i & 1) == 1).map(i => s"list $i")
    val test = Seq(None, Some("="), Some(">"))(field("test")).map(sign => s"counter $sign ${field("than")}")
    val conditions = flag.toSeq ++ lists ++ test
    val less = if (field("less") == 0) "" else s", counter - ${field("less")}"
    s"${waits(field)} jump ${field("value")}${if (conditions.isEmpty) "" else conditions.mkString(" if ", ", ", "")}$less"
  }
}
