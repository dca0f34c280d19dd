package proofmill.field

import proofmill.arith._

import scala.collection.mutable.ArrayBuffer

/** C++ statements for parts and steps, on integers of `words` 64-bit limbs in two's complement. */
class ModelText(words: Int) {
  private val tables = ArrayBuffer[String]()
  private val lines = ArrayBuffer[String]()

  /** Declares a variable with this value; returns its name. */
  def let(value: String): String = {
    lines += s"const Number x${lines.size} = $value;"
    s"x${lines.size - 1}"
  }
  def line(text: String): Unit = lines += text

  /** Declares a constant array of 64-bit limbs; returns its name. */
  def table(values: Seq[BigInt]): String = {
    val text = values.map(v => s"0x${v.toString(16)}ull").grouped(6).map(_.mkString(", ")).mkString("{", ",\n  ", "}")
    if (!tables.contains(text)) tables += text
    s"t${tables.indexOf(text)}"
  }

  /** Multiplies the variable `x` by a constant; by a shift if the constant is a power of two. */
  def times(x: String, factor: BigInt): String =
    if (factor == 1) x
    else if (factor > 0 && factor.bitCount == 1) s"($x << ${factor.bitLength - 1})"
    else s"$x * ${constant(factor)}"

  /** A constant that fits in `words`. */
  def constant(value: BigInt): String = s"Number::of(${table(ModelText.words(value, words))}, $words)"

  def text: String =
    (s"using Number = Int<$words>;" +: tables.zipWithIndex.map { case (t, i) =>
      s"static const uint64_t t$i[] = $t;"
    } :++
      lines).mkString("\n")
}

/** Parts and sums as C++. A product is a single operation, however the circuit computes it. */
private class ModelSums(cpp: ModelText) extends Sums[String] {
  def part(value: String, from: Int, bound: Bound, last: Boolean): String =
    Slice(from, Option.when(!last)(from + bound.high.bitLength)).model(value, bound, cpp)
  def sum(terms: Seq[(String, Bound, BigInt)], result: Bound, pace: Pace): String =
    Combine.model(terms.map { case (value, _, weight) => (value, weight) }, cpp)
  def sumOfProducts(products: Seq[Weighted[String]], result: Bound, pace: Pace): String =
    Combine.model(products.map(p => (cpp.let(s"${p.x} * ${p.y}"), p.weight * p.plan.scale)), cpp)
}

object ModelText {

  /** Returns an integer as 64-bit limbs in two's complement. */
  def words(value: BigInt, count: Int): Seq[BigInt] =
    (0 until count).map(i => (value >> (64 * i)) & ((BigInt(1) << 64) - 1))

  /** Returns `plan` as a function of the operands' bits. */
  def apply(name: String, plan: ProductPlan): ModelFunction = {
    val factor = plan.form.factor.width
    val digits = plan.form.digits
    val (coefficients, steps) = (plan.polynomial.product, plan.reduction.steps)
    val bounds = steps.scanLeft(coefficients.map(Ready(_, 0)))((now, step) => step.plan(now)).map(_.map(_.bound))
    val words = (bounds.flatten ++ whole(plan.polynomial)).map(_.width).max / 64 + 1
    val cpp = new ModelText(words)
    val Seq(a, b) =
      Seq("in0", "in1").map(in => (0 until digits).map(i => cpp.let(s"load<$words>($in, ${i * factor}, $factor)")))
    val product = plan.polynomial match {
      case halves: Halves => halves.sums(a.head, b.head)(new ModelSums(cpp))
      case _ =>
        coefficients.indices.map { k =>
          cpp.let((for (i <- a.indices; if b.isDefinedAt(k - i)) yield s"${a(i)} * ${b(k - i)}").mkString(" + "))
        }
    }
    val results = steps.zip(bounds).foldLeft(product: Seq[String]) { case (xs, (step, before)) =>
      step.model(xs.zip(before), cpp)
    }
    val width = plan.bound.width
    cpp.line(s"memset(out, 0, ${(digits * width + 31) / 32 * 4});")
    for ((x, i) <- results.zipWithIndex) cpp.line(s"store(out, ${i * width}, $width, $x);")
    ModelFunction(name, Seq.fill(2)(digits * factor), digits * width, cpp.text)
  }

  /** The interval of the whole product of a plan that cuts it. */
  private def whole(plan: PolynomialPlan): Seq[Bound] = plan match {
    case halves: Halves => Seq(halves.plan.product)
    case _              => Seq.empty
  }
}
