package proofmill.spec

import proofmill.RtlTest

import scala.util.{Failure, Success, Try}

/** The reader of formulas: what it refuses is what the model's reader (`spec/model/formula.py`) refuses, in the same words. */
object FormulaTests {
  def all: Seq[RtlTest] = Seq(
    RtlTest("formula: every file is read")(Formula.names.foreach(Formula(_))),
    RtlTest("formula: malformed files are refused")(malformed())
  )

  private def malformed(): Unit = {
    val table = Spec.table("formulas/malformed")
    val good = table.getString("good")
    def parse(text: String) = Formula.parse("f", text.split("\n").toSeq)
    RtlTest.require("lines of the good one", parse(good).lines.size, 2)
    val cases = table.getArray("case")
    for (i <- 0 until cases.size; one = cases.getTable(i)) {
      val Seq(old, wrong, says) = Seq("old", "new", "says").map(one.getString(_))
      RtlTest.require(s"'$old' is there", good.contains(old), true)
      Try(parse(good.replace(old, wrong))) match {
        case Success(_) => throw new AssertionError(s"accepted: $wrong")
        case Failure(found) =>
          RtlTest.require(s"'${found.getMessage}' says '$says'", found.getMessage.contains(s"f.slp$says"), true)
      }
    }
  }
}
