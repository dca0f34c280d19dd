package proofmill.field

import proofmill.arith._
import spinal.core._

/** How a multiplication of two factors of a form is done, from digits to digits; data only. */
case class ProductPlan(form: Form, price: Price) {
  val factors: Seq[Bound] = Seq.fill(form.digits)(form.factor)
  val polynomial: PolynomialPlan = form.cut match {
    case Some(at) => Halves(Plan.best(form.factor, form.factor, price), at, price.pace)
    case None     => PolynomialPlan.best(factors, factors, price)
  }
  val reduction: Reduction = form.afterProduct

  private val coefficients = polynomial.product.map(Ready(_, polynomial.latency))

  /** What a digit of the result may be. */
  val bound: Bound = reduction.result(polynomial.product)
  val latency: Int = reduction.latency(coefficients)
}

/** One multiplication modulo p a cycle: a product of polynomials (of one digit: of integers), then the reduction.
  *
  * @param options with which the plan was made
  */
class ModMul(name: String, plan: ProductPlan, options: Options) extends Component {
  private val digits = plan.form.digits
  val io = new Bundle {
    val a, b = in(Bits(digits * plan.form.factor.width bits))
    val product = out(Bits(digits * plan.bound.width bits))
  }
  setDefinitionName(s"ModMul_$name")

  private def factor(bits: Bits) = Residue(bits, digits, plan.form.factor, 0).digits
  private def structure: Bits = {
    val coefficients = PolynomialMultiplier(plan.polynomial, factor(io.a), factor(io.b))
    val numbers = coefficients.zip(plan.polynomial.product).map { case (c, bound) => Number(c, bound) }
    ModMul.together(plan.reduction.build(numbers), plan.latency, plan.bound)
  }

  /** What two multipliers have in common that are the same circuit. */
  val kind: String = {
    val bounds = s"${plan.form.digits} digits of ${plan.form.factor} to digits of ${plan.bound}"
    s"$name: $bounds in ${plan.latency} cycles, ${options.copy(twin = false)}"
  }

  io.product := (if (options.twin) Twin(TwinText(name, plan), plan.latency, Timed(io.a, 0), Timed(io.b, 0)).value
                 else structure)
}

object ModMul {

  /** The kinds of all multipliers in a circuit, each once. */
  def kinds(top: Component): Seq[String] = {
    def within(part: Component): Seq[String] = part match {
      case multiplier: ModMul => Seq(multiplier.kind)
      case other              => other.children.toSeq.flatMap(within).distinct
    }
    within(top).sorted
  }

  /** Numbers as digits of one width, all in the same cycle, first one lowest. */
  def together(numbers: Seq[Number], cycle: Int, bound: Bound): Bits =
    Cat(numbers.map(_.value.at(cycle).resize(bound.width).asBits))
}
