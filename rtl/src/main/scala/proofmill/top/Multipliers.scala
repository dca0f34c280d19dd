package proofmill.top

import proofmill.arith.{Bound, Price}
import proofmill.field.{ModMul, MultiplierFacts}
import spinal.core.Component

/** The modular multipliers of a circuit, for its manifest. */
object Multipliers {
  def json(top: Component): Json = Json(ModMul.kinds(top).map(describe))

  private def describe(facts: MultiplierFacts): Json = Json.of(
    "name" -> Json(facts.name),
    "digits" -> Json(facts.digits),
    "factor" -> describe(facts.factor),
    "product" -> describe(facts.product),
    "latency" -> Json(facts.latency),
    "montgomery" -> Json(facts.options.montgomery),
    "table_chain" -> Json(facts.options.chain),
    "price" -> describe(facts.options.price)
  )

  private def describe(bound: Bound): Json =
    Json.of("low" -> Json(bound.low.toString), "high" -> Json(bound.high.toString))

  private def describe(price: Price): Json = Json.of(
    "dsp_luts" -> Json(price.lutPerDsp),
    "tile_bits" -> Json(Seq(price.tile.wide, price.tile.narrow).map(Json(_))),
    "columns" -> Json(price.columns),
    "carry_chain_bits" -> Json(price.pace.chain),
    "compressor_levels" -> Json(price.pace.levels),
    "joined" -> Json(price.pace.joined),
    "flat" -> Json(price.pace.flat),
    "registered" -> Json(price.pace.registered)
  )
}
