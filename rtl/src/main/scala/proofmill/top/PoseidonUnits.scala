package proofmill.top

import proofmill.engine.poseidon._
import proofmill.stream.Port
import spinal.core._
import spinal.lib._

/** Parts of `poseidon` with a behavioural model: the linear layer of each configuration, and the conversion of integers to
  * digits.
  */
object PoseidonUnits {
  def all: Seq[UnitTarget] = for {
    model <- Seq(false, true)
    suffix = if (model) "_twin" else ""
    unit <- PoseidonConfig.named.map { case (name, config) =>
      val what = s"linear_$name"
      UnitTarget(
        what + suffix,
        "poseidon_linear",
        name,
        model,
        () => new PoseidonLinearUnit(config, new Residues(model))
      )
    } ++ Seq("poseidon_entry" -> BigInt(1), "poseidon_entry_montgomery" -> (BigInt(1) << 256)).map {
      case (name, divisor) =>
        UnitTarget(s"$name$suffix", name, "all", model, () => new PoseidonEntryUnit(new Residues(model), divisor))
    }
  } yield unit

  def element(residues: Residues, name: String): Port = residues.arithmetic.port(name, residues.bound)
}

/** The linear layer: from a row, the constants, and the number of its width to a row. */
class PoseidonLinearUnit(config: PoseidonConfig, residues: Residues) extends PipelinedUnit {
  private def row(name: String) = Seq.tabulate(config.elements)(i => PoseidonUnits.element(residues, s"$name$i"))
  def operands: Seq[Port] = row("x") ++ row("c") :+ Port("code", config.codeBits)
  def results: Seq[Port] = row("y")
  private val unit = new Linear(config, residues)
  def latency: Option[Int] = Some(unit.latency)

  private val (row, rest) = inputs.splitAt(config.elements)
  unit.io.row := Cat(row.map(_.asBits))
  unit.io.constants := Cat(rest.init.map(_.asBits))
  unit.io.code := rest.last.asBits.asUInt
  connect(unit.io.result.subdivideIn(config.elements slices).toSeq)
}

/** From an integer of 256 bits and a constant to an element. */
class PoseidonEntryUnit(residues: Residues, divisor: BigInt) extends PipelinedUnit {
  def operands: Seq[Port] = Seq(Port("value", PoseidonEntry.bits), PoseidonUnits.element(residues, "addend"))
  def results: Seq[Port] = Seq(PoseidonUnits.element(residues, "element"))
  private val unit = new PoseidonEntry(residues, divisor)
  def latency: Option[Int] = Some(unit.latency)

  unit.io.value := inputs.head.asBits
  unit.io.constant := inputs.last.asBits
  connect(Seq(unit.io.element))
}
