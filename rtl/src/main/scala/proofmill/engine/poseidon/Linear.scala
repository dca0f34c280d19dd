package proofmill.engine.poseidon

import proofmill.arith._
import proofmill.field._
import spinal.core._

/** The linear part of a round, one row each cycle: matrix times states, plus constants, and the carries.
  *
  * The matrix has small integers, so it is applied to each digit separately ([[Matrix]]). The sums are as long as the
  * coefficients of a product and are reduced to digits in the same way. Elements that no state has must be 0; their results
  * are undefined.
  */
class Linear(config: PoseidonConfig, residues: Residues) extends Component {
  import residues.{bound, digitBits, digits, elementBits, form}
  private val elements = config.elements
  private val rowBits = elements * elementBits
  val io = new Bundle {
    val row, constants = in(Bits(rowBits bits)) // a row, and the constants of its next round
    val code = in(UInt(config.codeBits bits)) // code of the row's hash
    val result = out(Bits(rowBits bits)) // the row after the linear layer, `latency` cycles later
  }
  setDefinitionName("PoseidonLinear")

  private val plan = MatrixPlan(config, bound, residues.price)
  private val sums = Seq.fill(digits)(plan.result)
  private val reduction = Seq(form.afterSums, form.afterWide).find(_.result(sums).within(bound))
    .getOrElse(sys.error(s"${plan.result} cannot be reduced"))
  val latency: Int = plan.latency + reduction.latency(sums.map(Ready(_, 0)))

  private def elementsOf(row: Bits) = row.subdivideIn(elementBits bits).toSeq.map(Residue(_, digits, bound, 0).digits)
  private def structure = {
    val (row, constants) = (elementsOf(io.row), elementsOf(io.constants))
    val products = (0 until digits).map { d =>
      val unit = new Matrix(plan)
      unit.io.code := io.code
      for (i <- 0 until elements) {
        unit.io.x(i) := row(i)(d).value
        unit.io.constants(i) := constants(i)(d).value
      }
      unit.io.result
    }
    Cat((0 until elements).map { i =>
      val unit = new ReduceUnit(reduction, digits, plan.result, latency - plan.latency)
      unit.io.a := Cat(products.map(_(i).asBits))
      val reduced = Residue(unit.io.reduced, digits, reduction.result(sums), 0)
      reduced.bits(0, bound)
    })
  }

  private def model = {
    val words = plan.result.width / 64 + 1
    val cpp = new ModelText(words)
    val factors = cpp.table(plan.matrices.flatten.flatten)
    cpp.line(s"const uint64_t *factors = $factors + ${elements * elements} * (in2[0] & ${(1 << config.codeBits) - 1});")
    cpp.line(s"Number x[$elements][$digits], y[$elements][$digits];")
    def each(body: String) =
      cpp.line(s"for (int i = 0; i < $elements; ++i) for (int d = 0; d < $digits; ++d) { $body }")
    def loaded(from: String) = s"load<$words>($from, (i * $digits + d) * $digitBits, $digitBits)"
    each(s"x[i][d] = ${loaded("in0")};")
    each(s"Number sum = ${loaded("in1")}; for (int j = 0; j < $elements; ++j) " +
      s"sum = sum + x[j][d] * Number::of(factors + $elements * i + j, 1); y[i][d] = sum;")
    cpp.line(s"for (int i = 0; i < $elements; ++i) {")
    val sum = (0 until digits).map(d => cpp.let(s"y[i][$d]"))
    val results = Linear.steps(reduction, sum.zip(sums), cpp)
    for ((x, d) <- results.zipWithIndex) cpp.line(s"y[i][$d] = $x;")
    cpp.line("}")
    cpp.line(s"memset(out, 0, ${(rowBits + 31) / 32 * 4});")
    each(s"store(out, (i * $digits + d) * $digitBits, $digitBits, y[i][d]);")
    val name = s"poseidon_linear_${config.hashes.map(_.width).mkString("_")}_in_$elements"
    val function = ModelFunction(name, Seq(rowBits, rowBits, Linear.codeBits), rowBits, cpp.text)
    val code = io.code.resize(Linear.codeBits).asBits
    BehaviouralModel(function, latency, Timed(io.row, 0), Timed(io.constants, 0), Timed(code, 0)).value
  }
  io.result := (if (residues.options.model) model else structure)
}

object Linear {
  private val codeBits = 3

  /** The steps of a reduction on C++ variables. */
  def steps(reduction: Reduction, xs: Seq[(String, Bound)], cpp: ModelText): Seq[String] =
    reduction.steps.foldLeft(xs) { case (now, step) =>
      step.model(now, cpp).zip(step.plan(now.map { case (_, bound) => Ready(bound, 0) }).map(_.bound))
    }.map(_._1)

  /** The steps of a reduction, with the results stored as one element in `out`. */
  def store(reduction: Reduction, xs: Seq[(String, Bound)], residues: Residues, cpp: ModelText): Unit = {
    val results = steps(reduction, xs, cpp)
    cpp.line(s"memset(out, 0, ${(residues.elementBits + 31) / 32 * 4});")
    for ((x, i) <- results.zipWithIndex)
      cpp.line(s"store(out, ${i * residues.digitBits}, ${residues.digitBits}, $x);")
  }
}
