package proofmill.top

import proofmill.curve.{AffineLaw, BatchAdder, PointAdder, ScheduleText, Terms}
import proofmill.field.{Arithmetic, Options}
import proofmill.spec.Curve
import proofmill.stream.{Port, StreamUnit}
import spinal.core._
import spinal.lib._

/** The point adders, each also with behavioural multipliers. */
object CurveUnits {
  def all: Seq[UnitTarget] = formulas ++ batches

  private def formulas = for {
    (kind, curve, adder) <- adders
    options <- Seq(Options(), Options(model = true))
    name = s"${kind}_$curve" + (if (options.model) "_twin" else "")
  } yield UnitTarget(name, kind, curve, options.model, () => StreamPorts(adder().pipeline(arithmetic(adder(), options))))

  /** Adders of affine points in G1 and in G2; those of the toys have few slots. */
  private def batches = for {
    (curve, group) <- Seq("toy" -> 1, "toy_bn" -> 2) ++ Seq("bn254", "bls12_381", "bls12_377").flatMap(curve =>
      Seq(curve -> 1, curve -> 2)
    )
    options <- Seq(Options(), Options(model = true))
    name = s"batch_add_$curve" + (if (group == 1) "" else s"_g$group") + (if (options.model) "_twin" else "")
    slotBits = Option.when(curve.startsWith("toy"))(6)
    make = () => StreamPorts(new BatchUnit(new AffineLaw(Curve(curve), options, group), slotBits))
  } yield UnitTarget(name, "batch_add", curve, options.model, make)

  /** Kind, curve, and adder. */
  private def adders: Seq[(String, String, () => PointAdder)] = {
    def of(kind: String, curves: String*)(make: Curve => PointAdder) =
      curves.map(curve => (kind, curve, () => make(Curve(curve))))
    of("point_add", "toy", "bn254", "bls12_381", "pallas", "vesta")(PointAdder.mixed) ++
      of("point_add", "toy_edwards", "bls12_377")(PointAdder.edwards) ++
      of("point_add_projective", "toy", "bn254", "bls12_381")(PointAdder.general) ++
      of("point_add_extended", "toy_edwards", "bls12_377")(PointAdder.edwardsGeneral)
  }

  private def arithmetic(adder: PointAdder, options: Options = Options()) = Arithmetic(adder.curve.baseField, options)

  /** Prints the schedules: all of them, or those of the named units. */
  def main(names: Array[String]): Unit =
    for ((kind, curve, adder) <- adders; name = s"${kind}_$curve"; if names.isEmpty || names.contains(name)) {
      val schedule = adder().schedule(Terms(arithmetic(adder())))
      println(s"$name\n${ScheduleText.summary(schedule)}\n")
      println(ScheduleText.steps(schedule) + "\n")
      println(ScheduleText.values(schedule) + "\n")
    }
}

/** A [[BatchAdder]] with one input and one output stream; each pair has a tag, which its sum has as well.
  *
  * @param slots the number of slots, as a power of two
  */
class BatchUnit(law: AffineLaw, slots: Option[Int]) extends StreamUnit {
  private def tagBits = 16
  private def tag = Port("tag", tagBits)
  def operands: Seq[Port] = tag +: (law.ports("1") ++ law.ports("2"))
  def results: Seq[Port] = tag +: law.ports("3")
  def latency: Option[Int] = None

  private val slotBits = slots.getOrElse(BatchAdder.slotBits(law))
  private val capacity = 1 << slotBits
  private val adder = new BatchAdder(law, tagBits, slotBits)
  private val inside = Reg(UInt(slotBits + 1 bits)) init 0
  inside := inside + io.in.fire.asUInt - io.out.fire.asUInt
  io.in.ready := adder.io.ready && !inside.msb
  adder.io.pairs.valid := io.in.fire
  adder.io.pairs.payload.assignFromBits(io.in.payload)
  private val sums = StreamFifo(Bits(io.out.payload.getWidth bits), capacity)
  sums.io.push.valid := adder.io.sums.valid
  sums.io.push.payload := adder.io.sums.payload.asBits
  io.out << sums.io.pop.m2sPipe()
}
