package proofmill.micro

import proofmill.micro.Program.Guard

/** Words with jumps. */
object Jump {
  private def apply(to: Label, fields: Map[String, Int]) = new Operation("jump", fields = fields, target = Some(to))

  def always(to: Label): Operation = Jump(to, Map("when" -> 1))

  /** Jumps if a flag is set, or if it is not. The word waits for the flag's canonical integer. */
  def onFlag(to: Label, number: Int, set: Boolean): Operation =
    Jump(to, Map("flag" -> number, "when" -> (if (set) 2 else 3), "wait_exact" -> 1))

  /** Jumps while the counter is above 0, and decrements it. */
  def counting(to: Label): Operation = Jump(to, Map("when" -> 1) ++ test('>', 0) + ("less" -> 1))

  /** Jumps if a guard is true; `lists` are those of the job, in order. */
  def guarded(to: Label, guard: Guard, lists: Seq[String]): Operation = {
    val mask = guard.lists.map { list =>
      require(lists.contains(list), s"$list is not a list of the job")
      1 << lists.indexOf(list)
    }.sum
    val tests = guard.test.fold(Map.empty[String, Int]) { case (sign, number) => test(sign, number) }
    val asked = Option.when(mask > 0)("lists" -> mask)
    Jump(to, Map("when" -> 1, "less" -> guard.less) ++ tests ++ asked)
  }

  private def test(sign: Char, number: Int) = Map("test" -> (if (sign == '=') 1 else 2), "than" -> number)
}
