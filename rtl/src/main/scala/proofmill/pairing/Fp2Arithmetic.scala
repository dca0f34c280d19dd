package proofmill.pairing

import proofmill.field._
import proofmill.spec.{Field => PrimeField}

/** The arithmetic of Fp2 = Fp(u), u^2 = -1, over a field with residues in base z: two multipliers of Fp whose products are
  * added before the reduction.
  *
  * A register holds a residue with digits within `register`. A multiplier's factors are sums of at most four registers.
  */
class Fp2Arithmetic(val field: PrimeField, options: Options) {
  private val tempo = Tempo(options.price.pace.ofCoefficients, options.chain)
  private val form = new BaseZ(field, tempo, spare = 3)
  private object Long extends BaseZ(field, tempo, spare = 3) {
    override def afterProduct: Reduction = fold
  }

  /** The arithmetic of one coordinate. */
  val base: Arithmetic = new FormArithmetic(field, form, options)
  val digits: Int = base.digits

  /** A product of two factors that is folded, but not reduced. */
  val product: ProductPlan = ProductPlan(Long, options.price)
  def multiplier(): ModMul = new ModMul(s"${field.name}_long", product, options)

  /** The interval of a sum of three products, one or two of them negative. */
  val long: Bound = Bound.magnitude(product.bound.absolute.high * 3)
  private val reduction = form.afterWide
  private val longs = Seq.fill(digits)(Ready(long, 0))
  private val reductionLatency = reduction.latency(longs)
  def reducer(): ReduceUnit =
    new ReduceUnit(reduction, digits, long, reductionLatency).setDefinitionName(s"ReduceLong_${field.name}")

  /** The interval of a register's digits: those of a reduced product or of a reduced sum. */
  val register: Bound =
    Bound.magnitude(reduction.result(longs.map(_.bound)).absolute.high max base.reduced.absolute.high)
  val factor: Bound = base.factor
  require((register * 4).within(factor), s"sums of four of $register are no factors within $factor")

  /** Cycles from operands to results. */
  val latency: Latency = Latency(mul = 2 + product.latency + 2 + reductionLatency, sum = 2 + base.reduceLatency)

  /** Concatenates elements of Fp in the format of registers, the first one lowest. */
  def encode(values: Seq[BigInt]): BigInt = values.flatMap(base.encode).zipWithIndex.map { case (digit, i) =>
    digit.mod(BigInt(1) << register.width) << (i * register.width)
  }.sum
}
