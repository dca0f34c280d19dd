package proofmill.top

import proofmill.curve.{AffineLaw, BatchAdder, PointAdder, ScheduleText, Terms}
import proofmill.field.{Arithmetic, Options}
import proofmill.spec.Curve

/** The point adders, each also with behavioural multipliers. */
object CurveUnits {
  def all: Seq[UnitTarget] = formulas ++ batches

  private def formulas = for {
    (kind, curve, adder) <- adders
    options <- Seq(Options(), Options(model = true))
    name = s"${kind}_$curve" + (if (options.model) "_twin" else "")
  } yield UnitTarget(name, kind, curve, options.model, () => StreamPorts(adder().pipeline(arithmetic(adder(), options))))

  /** Adders of affine points; that of the toy has few slots. */
  private def batches = for {
    curve <- Seq("toy", "bn254")
    options <- Seq(Options(), Options(model = true))
    name = s"batch_add_$curve" + (if (options.model) "_twin" else "")
    slotBits = if (curve == "toy") 6 else 12
    make = () => StreamPorts(new BatchAdder(new AffineLaw(Curve(curve), options), tagBits = 16, slotBits))
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
