package proofmill.arith

/** What multipliers are made of: how many LUTs a tile is worth, its shape, and the pace of the adders. */
case class Price(lutPerDsp: Int = 144, tile: TileShape = TileShape(), pace: Pace = Pace())

object Price {

  /** The fewest stages: more tiles than LUTs ask for, one level of Karatsuba less, and a long carry in each stage. */
  val early: Price =
    Price(lutPerDsp = 96, pace = Pace(chain = Timing.early.chain, levels = 4, joined = true, flat = true))
}

/** Widths of the two signed factors of one hardware multiplier. */
case class TileShape(wide: Int = 27, narrow: Int = 18)
