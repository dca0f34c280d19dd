package proofmill.top

import java.nio.file.{Files, Path}

import proofmill.field.{Arithmetic, Options}
import proofmill.micro._
import proofmill.spec.{Field, Spec}

/** The field processors with their programs. */
object MicroUnits {
  def all: Seq[UnitTarget] =
    for {
      (curve, programs) <- Seq("toy" -> odd, "secp256k1" -> square, "bls12_381" -> square)
      twin <- Seq(false, true)
    } yield target(curve, programs, twin)

  private val odd = Seq("scalar_mul", "inverse")
  private val square = odd :+ "square_root" // for p = 3 mod 4
  private val contexts = 16

  private def target(curve: String, programs: Seq[String], twin: Boolean): UnitTarget = {
    val table = Spec.table(s"curves/$curve")
    lazy val arithmetic = Arithmetic(Field(table.getString("base_field")), Options(twin = twin))
    lazy val scalars = Field(table.getString("scalar_field"))
    lazy val door = Door(Seq("k" -> (scalars.bits + 7) / 8 * 8), Seq("x", "y"), Seq("x", "y"))
    lazy val image = Image(
      programs.map(Program(_)), arithmetic, door,
      Map("b3" -> Spec.big(table.getTable("g1"), "b") * 3), Processor.pace(arithmetic)
    )
    UnitTarget(
      s"micro_$curve${if (twin) "_twin" else ""}", "micro", curve, twin,
      () => new Processor(door, arithmetic, image, contexts)
    )
  }
}
