package proofmill.engine.poseidon

import proofmill.arith._
import proofmill.field.{Bound, Combine, Number, Ready}
import spinal.core._

/** A plan of the multiplication of rows of integers within `bound` by the matrices of a configuration, with the addition of
  * constants; data only.
  *
  * A row's matrix has the matrix of its width along the diagonal, once for each state of the row. Its products by constants
  * are decomposed ([[Symmetric]]). Each consists of adders or of tiles, whichever is cheaper. With several widths, a
  * product's constant depends on the width.
  */
case class MatrixPlan(config: PoseidonConfig, bound: Bound, price: Price) {
  import price.pace
  private val size = config.elements

  val matrices: Seq[Seq[Seq[BigInt]]] = config.hashes.zip(config.blocks).map { case (hash, blocks) =>
    val stride = size / blocks
    Seq.tabulate(size, size) { (i, j) =>
      if (i / stride == j / stride) hash.entries.applyOrElse(i % stride + j % stride, (_: Int) => BigInt(0)) else 0
    }
  }
  val summands: Seq[Summand] = Symmetric(matrices, MatrixPlan.primes(size))

  /** The interval of a result, derived from the matrices, independently of the sums. */
  val result: Bound = matrices.flatten.map(row => row.map(bound * _).reduce(_ + _) + bound)
    .reduce((a, b) => Bound(a.low min b.low, a.high max b.high))

  def form(summand: Summand): Ready = Combine.plan(summand.members.map(_ => Ready(bound, 0) -> BigInt(1)), pace)

  /** Returns a product by tiles; none if it uses adders, because its constant is always the same. */
  def tiles(summand: Summand): Option[Plan] = {
    val factor = Bound(summand.factors.min, summand.factors.max)
    val plan = Plan.best(form(summand).bound, factor, price)
    val adders = Combine.luts(Seq(form(summand).bound -> factor.low), pace)
    Option.unless(factor.low == factor.high && adders <= plan.luts(price))(plan)
  }
  private val plans: Map[Summand, Option[Plan]] = summands.map(s => s -> tiles(s)).toMap

  def product(summand: Summand, form: Number, factor: Summand => Timed[SInt]): Number = plans(summand) match {
    case None       => Combine.build(Seq(form -> summand.factors.head), pace, separate = true)
    case Some(plan) => Number(Multiplier(plan, form.value, factor(summand)), plan.product)
  }
  private def product(summand: Summand): Ready = {
    val x = form(summand)
    plans(summand).fold(Combine.plan(Seq(x -> summand.factors.head), pace))(plan =>
      Ready(plan.product, x.cycle + plan.latency)
    )
  }

  /** Returns the products that are added to a result. */
  def of(element: Int): Seq[Summand] = summands.filter(_.members.contains(element))

  val latency: Int = (0 until size).map { i =>
    val terms = of(i).map(product(_)) :+ Ready(bound, 0)
    terms.map(_.cycle).max + Sum.latency(terms.map(term => (term.bound, BigInt(1))), result, pace)
  }.max
}

object MatrixPlan {

  /** Prime factors with multiplicity, ascending. */
  private def primes(n: Int): Seq[Int] =
    (2 to n).find(n % _ == 0).fold(Seq.empty[Int])(p => p +: primes(n / p))
}

/** The multiplication for one digit of every element of a row, one row each cycle. Its sums are modules of their own: as one
  * module it would take yosys hours.
  */
class Matrix(plan: MatrixPlan) extends Component {
  import plan.{bound, config, price, result, summands}
  private val size = config.elements
  val io = new Bundle {
    val x, constants = in(Vec(SInt(bound.width bits), size)) // elements' digits, and the constants
    val code = in(UInt(config.codeBits bits)) // code of the row's hash
    val result = out(Vec(SInt(plan.result.width bits), size)) // results, `latency` cycles later
  }
  setDefinitionName("PoseidonMatrix")

  private val code = Timed(io.code, 0)
  private val xs = io.x.map(x => Number(Timed(x, 0), bound))
  private val products = summands.map { summand =>
    val form = Combine.build(summand.members.map(xs(_) -> BigInt(1)), price.pace, separate = true)
    def factor(summand: Summand): Timed[SInt] = {
      val width = Bound(summand.factors.min, summand.factors.max).width
      val chosen = config.byCode(code.at(form.value.cycle), summand.factors.map(S(_, width bits)))
      Timed(chosen, form.value.cycle)
    }
    summand -> plan.product(summand, form, factor)
  }
  for (i <- 0 until size) {
    val terms = products.collect { case (summand, product) if summand.members.contains(i) => product } :+
      Number(Timed(io.constants(i), 0), bound)
    val sum = Sum.separate(terms.map(n => Term(n.value, n.bound)), result, price.pace)
    io.result(i) := sum.at(plan.latency)
  }
}
