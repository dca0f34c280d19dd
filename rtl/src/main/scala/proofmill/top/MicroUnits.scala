package proofmill.top

import proofmill.field.{Arithmetic, Options}
import proofmill.micro._
import proofmill.spec.{Field, Spec}

/** The field processors with their programs. */
object MicroUnits {
  def all: Seq[UnitTarget] =
    for {
      (curve, programs) <- Seq("toy" -> odd, "secp256k1" -> square, "bls12_381" -> square)
      kind <- Seq("", "_twin", "_trace_twin")
    } yield target(curve, programs, kind)

  private val odd = Seq("scalar_mul", "inverse")
  private val square = odd :+ "square_root" // for p = 3 mod 4
  private val contexts = 16

  private def target(curve: String, programs: Seq[String], kind: String): UnitTarget = {
    val twin = kind.nonEmpty
    val table = Spec.table(s"curves/$curve")
    lazy val arithmetic = Arithmetic(Field(table.getString("base_field")), Options(twin = twin))
    lazy val scalars = Field(table.getString("scalar_field"))
    lazy val door = Door(Seq("k" -> (scalars.bits + 7) / 8 * 8), Seq("x", "y"), Seq("x", "y"))
    lazy val image = Image(
      programs.map(Program(_)),
      arithmetic,
      door,
      Map("b3" -> Spec.big(table.getTable("g1"), "b") * 3),
      Processor.pace(arithmetic)
    )
    UnitTarget(
      s"micro_$curve$kind",
      "micro",
      curve,
      twin,
      () => new Processor(door, arithmetic, image, contexts, trace = kind == "_trace_twin"),
      () =>
        Map(
          "image.json" -> (Json.render(describe(door, arithmetic, image)) + "\n"),
          "listing.txt" -> image.listing.mkString("", "\n", "\n")
        )
    )
  }

  /** What spec/model/micro.py needs to execute the same words in the same cycles. */
  private def describe(door: Door, arithmetic: Arithmetic, image: Image): Json = {
    val pace = Processor.pace(arithmetic)
    val demands = new Demands(arithmetic)
    def hex(value: BigInt) = Json(s"0x${value.toString(16)}")
    Json.of(
      "modulus" -> hex(arithmetic.field.modulus),
      "scale" -> hex(arithmetic.scale),
      "contexts" -> Json(contexts),
      "mul" -> Json(pace.mul),
      "linear" -> Json(pace.linear),
      "canonical" -> Json(Canonical.latency(arithmetic)),
      "numbers" -> Json(door.numbers.map { case (name, _) => Json(name) }),
      "elements" -> Json(door.elements.map(Json(_))),
      "results" -> Json(door.results.size),
      "base" -> Json(arithmetic.base.toString),
      "digits" -> Json(arithmetic.digits),
      "widths" -> Json(Seq(demands.product, demands.sum).map(bound => Json(bound.width))),
      "slices" -> Json(demands.slices),
      "slice_bits" -> Json(demands.sliceBits),
      "constants" -> Json(image.constants.map(hex)),
      "windows" -> Json(image.windows.map(window =>
        Json.of(
          "number" -> Json(door.numbers.indexWhere(_._1 == window.number)),
          "bits" -> Json(window.bits)
        )
      )),
      "entries" -> Json(image.entries.map(entry =>
        Json.of(
          "name" -> Json(entry.name),
          "address" -> Json(entry.address),
          "words" -> Json(entry.words),
          "products" -> Json(entry.products),
          "sums" -> Json(entry.sums)
        )
      )),
      "words" -> Json(image.words.map(hex))
    )
  }
}
