package proofmill.top

import proofmill.arith.{Pace, Price}
import proofmill.engine.ecdsa_verify.EcdsaPrograms
import proofmill.field.{Arithmetic, Options}
import proofmill.micro.{CanonicalQueue, Constants, Demands, FieldProcessor, Image, JobPorts, Lane, Program}
import proofmill.spec.{Curve, Field, Spec}

/** The field processors with their programs. */
object MicroUnits {
  def all: Seq[UnitTarget] = processors ++ ecdsa

  private def processors: Seq[UnitTarget] =
    for {
      (curve, multipliers) <- Seq("toy" -> 1, "toy" -> 2, "secp256k1" -> 1, "secp256k1" -> 2, "bls12_381" -> 1)
      kind <- Seq("", "_twin", "_trace_twin")
    } yield target(curve, multipliers, kind)

  /** A lane with the programs of `ecdsa_verify`, with items as operands. */
  def ecdsa: Seq[UnitTarget] = for (kind <- Seq("", "_twin", "_trace_twin")) yield {
    val model = kind.nonEmpty
    lazy val curve = Curve("secp256k1")
    lazy val arithmetic = Arithmetic(curve.baseField, Options(early("secp256k1"), model = model))
    lazy val programs = new EcdsaPrograms(curve)
    lazy val image = programs.image(arithmetic)
    UnitTarget(
      s"micro_ecdsa$kind",
      "micro",
      "secp256k1",
      model,
      () => StreamPorts(new FedLane(programs.ports, arithmetic, image, contexts, trace = kind == "_trace_twin")),
      () => beside(programs.ports, arithmetic, image, 1)
    )
  }

  private val contexts = 16 // for each multiplier
  private val odd = Seq("scalar_mul", "inverse")
  private val square = odd :+ "square_root" // for p = 3 mod 4

  /** The price for low latency: a single job waits for every stage of the multiplier, so more tiles and longer carry chains
    * replace stages.
    */
  private[top] def early(curve: String): Price =
    if (curve == "secp256k1") Price.early else Price(96, pace = Pace(chain = 320, joined = true), columns = false)

  private def target(curve: String, multipliers: Int, kind: String): UnitTarget = {
    val model = kind.nonEmpty
    val table = Spec.table(s"curves/$curve")
    lazy val arithmetic = Arithmetic(Field(table.getString("base_field")), Options(early(curve), model = model))
    lazy val scalars = Field(table.getString("scalar_field"))
    lazy val ports = JobPorts(Seq("k" -> (scalars.bits + 7) / 8 * 8), Seq("x", "y"), Seq("x", "y"))
    lazy val image = Image(
      (if (curve == "toy") odd else square).map(Program(_)),
      arithmetic,
      ports,
      Constants(Map("b3" -> Spec.big(table.getTable("g1"), "b") * 3)),
      Lane.latency(arithmetic)
    )
    UnitTarget(
      s"micro_$curve${if (multipliers == 2) "_two" else ""}$kind",
      "micro",
      curve,
      model,
      () =>
        StreamPorts(new FieldProcessor(ports, arithmetic, image, multipliers, contexts, trace = kind == "_trace_twin")),
      () => beside(ports, arithmetic, image, multipliers)
    )
  }

  private def beside(ports: JobPorts, arithmetic: Arithmetic, image: Image, multipliers: Int) = Map(
    "image.json" -> (Json.render(describe(ports, arithmetic, image, multipliers)) + "\n"),
    "listing.txt" -> image.listing.mkString("", "\n", "\n")
  )

  /** Describes the processor for spec/model/micro.py, which executes the same words in the same cycles. */
  private def describe(ports: JobPorts, arithmetic: Arithmetic, image: Image, multipliers: Int): Json = {
    val latency = Lane.latency(arithmetic)
    val demands = new Demands(arithmetic)
    def hex(value: BigInt) = Json(s"0x${value.toString(16)}")
    Json.of(
      "modulus" -> hex(arithmetic.field.modulus),
      "scale" -> hex(arithmetic.scale),
      "multipliers" -> Json(multipliers),
      "contexts" -> Json(contexts * multipliers),
      "mul" -> Json(latency.mul),
      "linear" -> Json(latency.linear),
      "canonical" -> Json(CanonicalQueue.latency(arithmetic)),
      "numbers" -> Json(ports.numbers.map { case (name, _) => Json(name) }),
      "elements" -> Json(ports.elements.map(Json(_))),
      "results" -> Json(ports.answers.size),
      "given" -> Json(ports.feedFlags.size),
      "feed" -> Json(if (ports.lists.isEmpty) 0 else FedLane.cycles(ports)),
      "base" -> Json(arithmetic.base.toString),
      "digits" -> Json(arithmetic.digits),
      "widths" -> Json(Seq(demands.product, demands.sum).map(bound => Json(bound.width))),
      "slices" -> Json(demands.slices),
      "slice_bits" -> Json(demands.sliceBits),
      "constants" -> Json(image.constants.map(hex)),
      "tables" -> Json(image.tables.map(table => Json(table.map(hex)))),
      "windows" -> Json(image.windows.map(window =>
        Json.of(
          "number" -> Json(ports.numbers.indexWhere(_._1 == window.number)),
          "bits" -> Json(window.bits)
        )
      )),
      "entries" -> Json(image.entries.map(entry =>
        Json.of(
          "name" -> Json(entry.name),
          "address" -> Json(entry.address),
          "words" -> Json(entry.words),
          "products" -> Json(entry.products),
          "sums" -> Json(entry.sums),
          "flags" -> Json.of(entry.flags.toSeq.map { case (flag, number) => flag -> Json(number) }: _*)
        )
      )),
      "words" -> Json(image.words.map(hex))
    )
  }
}
