package proofmill.top

import proofmill.engine.poseidon._
import proofmill.stream.{Port, StreamUnit}
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
class PoseidonLinearUnit(config: PoseidonConfig, residues: Residues) extends StreamUnit {
  private def row(name: String) = Seq.tabulate(config.elements)(i => PoseidonUnits.element(residues, s"$name$i"))
  def operands: Seq[Port] = row("x") ++ row("c") :+ Port("code", config.codeBits)
  def results: Seq[Port] = row("y")
  private val unit = new Linear(config, residues)
  def latency: Option[Int] = Some(unit.latency)

  private val bits = config.elements * residues.elementBits
  unit.io.row := io.in.payload(0, bits bits)
  unit.io.constants := io.in.payload(bits, bits bits)
  unit.io.code := io.in.payload.dropLow(2 * bits).asUInt
  io.in.ready := True
  io.out.payload := unit.io.result
  io.out.valid := Delay(io.in.valid, unit.latency, init = False)
}

/** From an integer of 256 bits and a constant to an element. */
class PoseidonEntryUnit(residues: Residues, divisor: BigInt) extends StreamUnit {
  def operands: Seq[Port] = Seq(Port("value", PoseidonEntry.bits), PoseidonUnits.element(residues, "constant"))
  def results: Seq[Port] = Seq(PoseidonUnits.element(residues, "element"))
  private val unit = new PoseidonEntry(residues, divisor)
  def latency: Option[Int] = Some(unit.latency)

  unit.io.value := io.in.payload(0, PoseidonEntry.bits bits)
  unit.io.constant := io.in.payload.dropLow(PoseidonEntry.bits)
  io.in.ready := True
  io.out.payload := unit.io.element
  io.out.valid := Delay(io.in.valid, unit.latency, init = False)
}
