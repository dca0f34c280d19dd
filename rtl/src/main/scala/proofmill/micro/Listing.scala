package proofmill.micro

/** Text of a word. */
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
      "(" + term(field, a, 1 + 2 * field(s"${a}_triple")) + (if (field(s"${b}_on") == 1) " " + term(field, b)
                                                             else "") + ")"
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
