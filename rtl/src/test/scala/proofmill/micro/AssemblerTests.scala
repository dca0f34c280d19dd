package proofmill.micro

import proofmill.RtlTest
import proofmill.field.Arithmetic
import proofmill.spec.Field

import scala.util.{Failure, Success, Try}

/** The assembler: what it makes of numbers, and that it refuses what it cannot make words of. */
object AssemblerTests {
  private val arithmetic = Arithmetic(Field("secp256k1_fp"))
  private val ports =
    JobPorts(Seq("k" -> 8), Seq("x", "y"), Seq("x"), Seq(ItemList("q", 5, 2, 9), ItemList("g", 3, 4)), Seq("given"))
  private val constants = Constants(Map("b3" -> BigInt(21)), Map("G" -> Seq[BigInt](1, 2, 3, 4), "H" -> Seq[BigInt](1)))

  private def assemble(text: String*): Image =
    Image(Seq(Program.parse("test", text)), arithmetic, ports, constants, OperationLatency(10, 4))

  private def refused(name: String, message: String)(text: String*): RtlTest = RtlTest(s"assembler refuses $name") {
    Try(assemble(text: _*)) match {
      case Success(_) => throw new AssertionError(s"accepted: ${text.mkString("; ")}")
      case Failure(fault) =>
        RtlTest.require(s"'${fault.getMessage}' says '$message'", fault.getMessage.contains(message), true)
    }
  }

  private val table = (0 to 8).map(i => s"T[$i] = x")

  /** What the words wait for, products first; of the words that `listing` has with this text. */
  private def waits(image: Image, text: String): Seq[(Int, Int)] =
    for ((word, line) <- image.words.zip(image.listing.tail); if line.contains(text)) yield {
      def field(name: String) = ((word >> WordFormat.mul(name).at) & WordFormat.mul(name).all).toInt
      (field("wait_mul"), field("wait_lin"))
    }

  val all: Seq[RtlTest] = Seq(
    RtlTest("assembler exponents") {
      val p = BigInt(1000003)
      RtlTest.require("p - 2", Exponent("p - 2", p), p - 2)
      RtlTest.require("(p + 1) / 4", Exponent("(p + 1) / 4", p), (p + 1) / 4)
      for (exponent <- Seq[BigInt](1, 2, 95, 255, 256, p, p - 2); width <- 1 to 5) {
        val value = Exponent.windows(exponent, width).foldLeft(BigInt(0)) { case (sum, (squarings, digit)) =>
          (sum << squarings) + digit
        }
        RtlTest.require(s"$exponent by windows of $width", value, exponent)
      }
    },
    RtlTest("assembler folds sums into factors") {
      val image = assemble("a = x + y", "b = x - y", "c = a * b", "result x = c")
      RtlTest.require("words: two loads, a product, a result, the end", image.words.size, 5)
    },
    RtlTest("assembler drops what nobody reads") {
      RtlTest.require("words", assemble("a = x * y", "result x = x").words.size, 3)
    },
    RtlTest("assembler keeps loop variables in their registers") {
      val image = assemble("a = x * x", "loop i = 9 .. 0", "a = a * a", "end", "result x = a")
      RtlTest.require("words: load, product, count, product, repeat, result, end", image.words.size, 7)
    },
    RtlTest("assembler triples a term of a factor") {
      val image = assemble("a = x * y", "b = y * y", "t = 12 * a", "t = t - b", "c = t * x", "result x = c")
      RtlTest.require("words: two loads, three products, a result, the end", image.words.size, 7)
      RtlTest.require("its factor", image.listing.exists(_.contains("(+12p0 -1p1)")), true)
    },
    RtlTest("assembler makes one register of a sum and its multiples") {
      val image = assemble(
        Seq("a = x * y", "b = y * y", "s = a - b", "t = s + x", "c = t * t") ++
          Seq("u = 2 * s", "u = y - u", "d = u * c", "result x = d"): _*
      )
      RtlTest.require("sums", image.listing.count(_.contains(" s2 = ")), 1)
      RtlTest.require("words: two loads, a sum, four products, a result, the end", image.words.size, 9)
    },
    RtlTest("assembler counts what is younger on every way to a word") {
      // b comes after a before the loop; in the loop it does so too, or not at all.
      for ((inside, younger) <- Seq(Seq("b = c * y") -> 1, Seq.empty -> 0)) {
        val loop = Seq("do", "on count > 0 : count - 1", "c = a * y", "a = x * c") ++ inside ++ Seq("end", "end")
        val text = Seq("b = x * y", "a = x * x", "take q") ++ loop ++ Seq("d = a * b", "result x = d")
        RtlTest.require("on a's way", waits(assemble(text: _*), "= (+1p0) (+1s1)").map(_._1), Seq(younger))
      }
    },
    RtlTest("assembler jumps to the first way whose guard holds") {
      val image =
        assemble("take q", "do", "on count = 1, q : count - 1", "take q", "end", "on g", "take g", "end", "end")
      val jumps = image.listing.filter(_.contains("jump")).map(_.drop(20).trim)
      val guards = Seq("list 0, counter = 1, counter - 1", "list 1")
      for (guard <- guards) RtlTest.require(guard, jumps.count(_.endsWith(guard)), 3)
      RtlTest.require("ways out that do not fall", jumps.size - 3 * guards.size, 2)
    },
    refused("an item of no list", "p is not a list of the job")("take p"),
    refused("an item that was never taken", "the digit g is never set")("a = G[g]", "result x = a"),
    refused("a table that is too short", "H does not have elements 0 to 3")("take g", "a = H[g]", "result x = a"),
    refused("a flag before it is given", "the flag given is there when an item has been taken")("a = given ? x : y"),
    refused("a zero test of a given flag", "the flag given is given")("flag given = zero x"),
    refused("too many flags", "too many flags")((0 to 7).map(i => s"flag f$i = zero x"): _*),
    refused("a stop that nothing decides", "the flag f is never set")("stop if f"),
    refused("a stop in a loop", "cannot stop in a loop")(
      "flag f = zero x",
      "loop i = 3 .. 0",
      "stop if f",
      "end"
    ),
    refused("a guard that is none", "'count < 3' is no condition")("do", "on count < 3", "end", "end"),
    refused("a guard of no list", "k is not a list of the job")("do", "on k", "a = x", "end", "end"),
    refused("two tests of the count", "tested twice")("do", "on count > 1, count = 2", "end", "end"),
    refused("a way outside of its choice", "'on' stands outside of a 'do'")("on q", "a = x", "end"),
    refused("a choice of something else", "there is nothing but 'on'")("do", "a = x", "end"),
    refused("choices in loops", "cannot stand in a loop")("loop i = 3 .. 0", "do", "on q", "end", "end", "end"),
    refused("a line that is no statement", "test.asm:2: 'x ; y' is not an operation")("a = x", "b = x ; y"),
    refused("an unknown formula", "test.asm:1: triple is neither a formula")("a = triple x"),
    refused("an unknown name", "test.asm:1: q has no value here")("a = q * x"),
    refused("a loop without its end", "test.asm:1: there is no 'end'")("loop i = 3 .. 0", "a = x"),
    refused("an end without its loop", "test.asm:2: 'end' without a beginning")("a = x", "end"),
    refused("loops in loops", "cannot stand in a loop")("loop i = 3 .. 0", "loop j = 3 .. 0", "a = x", "end", "end"),
    refused("an exchange of loop variables", "exchange their values")(
      "a = 2 * x",
      "b = 2 * y",
      "loop i = 3 .. 0",
      "t = a",
      "a = b",
      "b = t",
      "end",
      "c = a + b",
      "result x = c"
    ),
    refused("a formula with too few operands", "rcb_dbl has 3 inputs")("a b c = rcb_dbl x y"),
    refused("an exponent that is not whole", "does not divide")("a = x ^ (p + 1) / 3"),
    refused("an incomplete table", "does not have elements 0 to 8")(
      ("window d = k 4" +: table.take(8)) ++ Seq("digit d = last", "a = T[d]", "result x = a"): _*
    ),
    refused("a digit that was never set", "the digit d is never set")(
      ("window d = k 4" +: table) ++ Seq("a = T[d]", "result x = a"): _*
    ),
    refused("a place that a number does not have", "d has places 0 to 2, not 9")("window d = k 4", "digit d = 9"),
    refused("a counter beyond the places", "d has places 0 to 2, not 3")(
      "window d = k 4",
      "loop i = 3 .. 0",
      "digit d = i",
      "end"
    ),
    refused("`last` of windows that differ", "last is not a number here")(
      "window d = k 4",
      "window e = k 2",
      "digit e = last"
    ),
    refused("a window on no number", "q is not a number of the job")("window d = q 4", "result x = x"),
    refused("two windows of one name", "two windows called d")("window d = k 4", "window d = k 2"),
    refused("a loop from below 0", "cannot begin with -1")("loop i = 0 - 1 .. 0", "a = x", "end"),
    refused("a result given twice", "given already")("result x = x", "result x = y"),
    RtlTest("assembler looks up wherever an operand stands") {
      assemble(("window d = k 4" +: table) ++ Seq("digit d = last", "a = T[d] + y", "result x = a"): _*)
    },
    refused("a flag that was never set", "the flag f is never set")("a = f ? x : y", "result x = a"),
    refused("more values than registers", "at once")(
      (0 to 70).map(i => s"a$i = x * ${if (i == 0) "x" else s"a${i - 1}"}") ++ (0 to 70).map(i =>
        s"b$i = a$i * a${70 - i}"
      ) ++
        Seq("s0 = 0") ++ (0 to 70).map(i => s"s${i + 1} = s$i + b${70 - i}") ++ Seq("result x = s71"): _*
    )
  )
}
