package proofmill.field

import proofmill.arith._
import spinal.core._

/** A plan of the multiplication of two factors of a form, from digits to digits; data only. */
case class ProductPlan(form: Form, price: Price) {
  val factors: Seq[Bound] = Seq.fill(form.digits)(form.factor)
  val polynomial: PolynomialPlan = form.cut match {
    case Some(at) => Halves(Plan.best(form.factor, form.factor, price), at, price.pace)
    case None     => PolynomialPlan.best(factors, factors, price)
  }
  val reduction: Reduction = form.afterProduct

  private val coefficients = polynomial.product.map(Ready(_, polynomial.latency))

  /** The interval of the result's digits. */
  val bound: Bound = reduction.result(polynomial.product)
  val latency: Int = reduction.latency(coefficients)
}

/** A modular multiplier that accepts operands in every cycle: a product of polynomials (with one digit: of integers), then
  * the reduction.
  *
  * @param options the options with which the plan was made
  */
class ModMul(name: String, plan: ProductPlan, options: Options) extends Component {
  private val digits = plan.form.digits
  val io = new Bundle {
    val a, b = in(Bits(digits * plan.form.factor.width bits)) // factors: digits within `plan.form.factor`
    val product = out(Bits(digits * plan.bound.width bits)) // digits of the product, `plan.latency` cycles later
  }
  setDefinitionName(s"ModMul_$name")

  private def factor(bits: Bits) = Residue(bits, digits, plan.form.factor, 0).digits
  private def structure: Bits = {
    val coefficients = PolynomialMultiplier(plan.polynomial, factor(io.a), factor(io.b))
    val numbers = coefficients.zip(plan.polynomial.product).map { case (c, bound) => Number(c, bound) }
    ModMul.together(plan.reduction.build(numbers), plan.latency, plan.bound)
  }

  val facts: MultiplierFacts =
    MultiplierFacts(name, digits, plan.form.factor, plan.bound, plan.latency, options.copy(model = false))

  io.product := (if (options.model)
                   BehaviouralModel(ModelText(name, plan), plan.latency, Timed(io.a, 0), Timed(io.b, 0)).value
                 else structure)
}

/** A description of a multiplier: those with equal descriptions are the same circuit, or models of it. */
case class MultiplierFacts(name: String, digits: Int, factor: Bound, product: Bound, latency: Int, options: Options)

object ModMul {

  /** Returns the descriptions of all multipliers in a circuit, without duplicates. */
  def kinds(top: Component): Seq[MultiplierFacts] = {
    def within(part: Component): Seq[MultiplierFacts] = part match {
      case multiplier: ModMul => Seq(multiplier.facts)
      case other              => other.children.toSeq.flatMap(within).distinct
    }
    within(top).sortBy(_.toString)
  }

  /** Concatenates numbers as digits of one width, all in the same cycle, first number lowest. */
  def together(numbers: Seq[Number], cycle: Int, bound: Bound): Bits =
    Cat(numbers.map(_.value.at(cycle).resize(bound.width).asBits))
}
