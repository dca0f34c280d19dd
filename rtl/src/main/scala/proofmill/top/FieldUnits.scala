package proofmill.top

import proofmill.arith.Price
import proofmill.field.{Arithmetic, Bound, Canonical, Options, Residue, Settle, SettlePlan}
import proofmill.spec.{Curve, Field}
import proofmill.stream.Port
import spinal.core._

/** The multipliers, adders and reductions of every field. */
object FieldUnits {
  def all: Seq[UnitTarget] =
    Field.names.flatMap { name =>
      Seq(
        target("modmul", name, Options())(mul),
        target("modmul", name, Options(model = true))(mul),
        target("modadd", name, Options())(a => new FieldUnit(FieldOperation.sum(a))),
        target("modsub", name, Options())(a => new FieldUnit(FieldOperation.difference(a))),
        target("reduce", name, Options())(reduce),
        target("canonical", name, Options())(a => StreamPorts(new Canonical(a.port("a", a.product)))),
        canonical("modmul", name)(FieldOperation.product),
        canonical("modadd", name)(FieldOperation.sum),
        canonical("modsub", name)(FieldOperation.difference)
      )
    } ++ Seq("bn254_fp", "toy_fp").flatMap { name =>
      Seq(false, true).map(model => target("modmul_montgomery", name, Options(montgomery = true, model = model))(mul))
    } ++ Seq(false, true).map(model =>
      target("modmul_spare", "toy_bn_fp", Options(spare = 2, model = model))(mul) // that of its products in Fp2
    ) ++ Seq(
      target("modmul_early", "secp256k1_fp", Options(Price.early))(mul),
      target("modmul_early", "secp256k1_fp", Options(Price.early, model = true))(mul),
      target("reduce_early", "secp256k1_fp", Options(Price.early))(reduce)
    ) ++ Seq("toy", "bls12_381").flatMap { curve =>
      Seq(false, true).map { model =>
        target("modmul_micro", Curve(curve).baseField.name, Options(MicroUnits.early(curve), model = model))(mul)
      }
    }

  private def target(kind: String, name: String, options: Options)(make: Arithmetic => NamedUnit): UnitTarget =
    UnitTarget(
      s"${kind}_$name${if (options.model) "_twin" else ""}",
      kind,
      name,
      options.model,
      () => make(Arithmetic(Field(name), options))
    )

  /** A unit whose operands and result are canonical integers. */
  private def canonical(kind: String, name: String)(operation: Arithmetic => FieldOperation): UnitTarget =
    target(s"${kind}_canonical", name, Options(plain = true))(a => new CanonicalUnit(operation(a)))

  private def mul(arithmetic: Arithmetic): NamedUnit = new FieldUnit(FieldOperation.product(arithmetic))
  private def reduce(arithmetic: Arithmetic): NamedUnit = new FieldUnit(FieldOperation.reduction(arithmetic))
}

/** An operation on residues: its operands within `operand`, its result within `result`, `latency` cycles later. */
case class FieldOperation(
    arithmetic: Arithmetic,
    operands: Seq[String],
    operand: Bound,
    name: String,
    result: Bound,
    latency: Int
)(val compute: Seq[Residue] => Residue)

object FieldOperation {
  def product(arithmetic: Arithmetic): FieldOperation = {
    import arithmetic._
    FieldOperation(arithmetic, Seq("a", "b"), factor, "product", arithmetic.product, mulLatency) { case Seq(a, b) =>
      mul(a, b)
    }
  }
  def sum(arithmetic: Arithmetic): FieldOperation = {
    import arithmetic._
    val bound = arithmetic.product
    FieldOperation(arithmetic, Seq("a", "b"), bound, "sum", bound + bound, addLatency) { case Seq(a, b) => add(a, b) }
  }
  def difference(arithmetic: Arithmetic): FieldOperation = {
    import arithmetic._
    val bound = arithmetic.product
    FieldOperation(arithmetic, Seq("a", "b"), bound, "difference", bound - bound, addLatency) { case Seq(a, b) =>
      sub(a, b)
    }
  }
  def reduction(arithmetic: Arithmetic): FieldOperation = {
    import arithmetic._
    FieldOperation(arithmetic, Seq("a"), reducible, "residue", reduced, reduceLatency) { case Seq(a) => reduce(a) }
  }
}

/** An operation on residues as a unit. */
class FieldUnit(operation: FieldOperation) extends PipelinedUnit {
  import operation.{arithmetic, compute}
  def operands: Seq[Port] = operation.operands.map(arithmetic.port(_, operation.operand))
  def results: Seq[Port] = Seq(arithmetic.port(operation.name, operation.result))
  def latency: Option[Int] = Some(operation.latency)

  private val residues = inputs.map(input => Residue(input.asBits, arithmetic.digits, operation.operand, 0))
  connect(Seq(compute(residues).bits(operation.latency, operation.result)))
}

/** An operation on canonical integers, 0 to p - 1, as a unit, for residues of one digit with scale 1. */
class CanonicalUnit(operation: FieldOperation) extends PipelinedUnit {
  import operation.{arithmetic, compute}
  import arithmetic.field
  require(arithmetic.digits == 1, s"${field.name}: a canonical integer is one digit")
  private def port(name: String) =
    Port(name, field.bits, field = Some(field.name), high = field.modulus - 1, signed = false)
  def operands: Seq[Port] = operation.operands.map(port)
  def results: Seq[Port] = Seq(port(operation.name))
  def latency: Option[Int] = Some(operation.latency + settling.latency)

  private lazy val settling = SettlePlan(arithmetic, operation.result, Options().price.pace)
  private val canonical = Bound(0, field.modulus - 1)
  private val residues = inputs.map(input => Residue((False ## input.asBits), 1, canonical, 0))
  private val settle = new Settle(settling)
  settle.io.residue := compute(residues).bits(operation.latency, operation.result)
  connect(Seq(settle.io.result))
}
