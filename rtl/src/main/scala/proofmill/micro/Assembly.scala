package proofmill.micro

/** Encodes operations with registers as words; `blocks` gives the address of each block. */
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
