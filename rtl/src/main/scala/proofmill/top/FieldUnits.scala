package proofmill.top

import proofmill.arith.Price
import proofmill.field.{Arithmetic, Bound, Canonical, Options, Residue}
import proofmill.spec.{Curve, Field}
import proofmill.stream.{Port, StreamUnit}
import spinal.core._
import spinal.lib._

/** The multipliers, adders and reductions of every field. */
object FieldUnits {
  def all: Seq[UnitTarget] =
    Field.names.flatMap { name =>
      Seq(
        target("modmul", name, Options())(mul),
        target("modmul", name, Options(model = true))(mul),
        target("modadd", name, Options())(add),
        target("modsub", name, Options())(sub),
        target("reduce", name, Options())(reduce),
        target("canonical", name, Options())(a => new Canonical(a.port("a", a.product)))
      )
    } ++ Seq("bn254_fp", "toy_fp").flatMap { name =>
      Seq(false, true).map(model => target("modmul_montgomery", name, Options(montgomery = true, model = model))(mul))
    } ++ Seq(
      target("modmul_early", "secp256k1_fp", Options(Price.early))(mul),
      target("modmul_early", "secp256k1_fp", Options(Price.early, model = true))(mul),
      target("reduce_early", "secp256k1_fp", Options(Price.early))(reduce)
    ) ++ Seq("toy", "bls12_381").flatMap { curve =>
      Seq(false, true).map { model =>
        target("modmul_micro", Curve(curve).baseField.name, Options(MicroUnits.early(curve), model = model))(mul)
      }
    }

  private def target(kind: String, name: String, options: Options)(make: Arithmetic => StreamUnit): UnitTarget =
    UnitTarget(
      s"${kind}_$name${if (options.model) "_twin" else ""}",
      kind,
      name,
      options.model,
      () => make(Arithmetic(Field(name), options))
    )

  private def mul(arithmetic: Arithmetic): StreamUnit = {
    import arithmetic._
    new FieldUnit(arithmetic, 2, factor, product, mulLatency)({ case Seq(a, b) => arithmetic.mul(a, b) })
  }

  private def add(arithmetic: Arithmetic): StreamUnit = {
    import arithmetic._
    new FieldUnit(arithmetic, 2, product, product + product, addLatency)({ case Seq(a, b) => arithmetic.add(a, b) })
  }

  private def sub(arithmetic: Arithmetic): StreamUnit = {
    import arithmetic._
    new FieldUnit(arithmetic, 2, product, product - product, addLatency)({ case Seq(a, b) => arithmetic.sub(a, b) })
  }

  private def reduce(arithmetic: Arithmetic): StreamUnit = {
    import arithmetic._
    new FieldUnit(arithmetic, 1, reducible, reduced, reduceLatency)({ case Seq(a) => arithmetic.reduce(a) })
  }
}

/** An operation on residues as a unit: it accepts operands in every cycle and never stalls, whatever `out.ready` is. */
class FieldUnit(arithmetic: Arithmetic, count: Int, operand: Bound, result: Bound, cycles: Int)(
    operation: Seq[Residue] => Residue
) extends StreamUnit {
  def operands: Seq[Port] = Seq("a", "b").take(count).map(arithmetic.port(_, operand))
  def results: Seq[Port] = Seq(arithmetic.port("result", result))
  def latency: Option[Int] = Some(cycles)

  private val residues = io.in.payload.subdivideIn(count slices).map(Residue(_, arithmetic.digits, operand, 0)).toSeq
  io.in.ready := True
  io.out.payload := operation(residues).bits(cycles, result)
  io.out.valid := Delay(io.in.valid, cycles, init = False)
}
