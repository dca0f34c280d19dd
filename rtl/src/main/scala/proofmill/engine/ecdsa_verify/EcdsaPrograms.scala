package proofmill.engine.ecdsa_verify

import proofmill.field.Arithmetic
import proofmill.micro.{Constants, Image, ItemList, JobPorts, Lane, Program}
import proofmill.spec.{Curve, Spec}

/** The field processor's ports, constants and programs for the operation `ecdsa_verify`, for a curve with a = 0 and an
  * endomorphism.
  *
  * The operands of a job are the key and r. Its items follow. List `q` has the digits of the halves of u2 in width-5
  * non-adjacent form, the lowest first: magnitude (|digit| - 1) / 2, plus 8 in the second half; the count is the number of
  * doublings down to the item before it, or to 0. List `g` has Booth's digits of 8 bits of u1: magnitude 128 window + |digit|
  * - 1, without items for digits 0.
  */
class EcdsaPrograms(curve: Curve) {
  import EcdsaPrograms._
  private val halfBits = (curve.scalarField.bits + 1) / 2
  private val g = new GeneratorTable(curve, generatorWindow)

  val q: ItemList = ItemList("q", 2 * (halfBits / window + 1), 1 << (window - 1), halfBits + 1)
  val ports: JobPorts = JobPorts(
    numbers = Seq.empty,
    elements = Seq("x", "y", "r"),
    answers = Seq.empty,
    lists = Seq(q, ItemList("g", g.windows, g.points.size)),
    feedFlags = Seq("u1_zero")
  )

  private val constants = Constants(
    Map(
      "b" -> curve.b,
      "n" -> curve.scalarField.modulus,
      "beta" -> Spec.big(Spec.table(s"curves/${curve.name}").getTable("endomorphism"), "beta")
    ),
    Map("GX" -> g.points.map(_._1), "GY" -> g.points.map(_._2))
  )

  def image(arithmetic: Arithmetic): Image =
    Image(names.map(Program(_)), arithmetic, ports, constants, Lane.latency(arithmetic))
}

object EcdsaPrograms {
  val window = 5
  val generatorWindow = 8

  /** The programs; a job selects one by its index. */
  val names: Seq[String] = Seq("ecdsa_verify", "reject")
}

/** j 2^(bits i) G for each window i of a signed scalar and j = 1 … 2^(bits - 1), affine; window after window. */
class GeneratorTable(curve: Curve, bits: Int) {
  private type Point = (BigInt, BigInt)
  private val field = curve.baseField
  val windows: Int = (curve.scalarField.bits + bits - 1) / bits

  lazy val points: Seq[Point] = {
    val bases = Iterator.iterate(curve.generator)(g => (1 to bits).foldLeft(g)((p, _) => add(p, p)))
    bases.take(windows).toSeq.flatMap(g => Seq.iterate(g, 1 << (bits - 1))(add(_, g)))
  }

  /** The sum of two points that are not opposite; neither is the identity. */
  private def add(p: Point, q: Point): Point = {
    val (above, below) = if (p == q) (p._1 * p._1 * 3, p._2 * 2) else (q._2 - p._2, q._1 - p._1)
    val slope = field.residue(above * field.inverse(field.residue(below)))
    val x = field.residue(slope * slope - p._1 - q._1)
    (x, field.residue(slope * (p._1 - x) - p._2))
  }
}
