package proofmill.arith

/** Costs and shapes of a multiplier's parts: the price of a tile in LUTs, its shape, and the pace of the adders.
  *
  * @param columns tiles may form a [[Column]]: fewer LUTs, but each further tile takes a cycle
  */
case class Price(
    lutPerDsp: Int = 144,
    tile: TileShape = TileShape(),
    pace: Pace = Pace(),
    columns: Boolean = true
)

object Price {

  /** The shortest pipeline: more tiles than the cost in LUTs justifies, one level of Karatsuba less, and a long carry chain
    * in each stage.
    */
  val early: Price =
    Price(96, pace = Pace(chain = Timing.early.chain, levels = 4, joined = true, flat = true), columns = false)
}

/** Widths of the two signed factors of one hardware multiplier. */
case class TileShape(wide: Int = 27, narrow: Int = 18)
