package proofmill.arith

/** The interval of values that a signed integer can have: `low` to `high`, both included. */
case class Bound(low: BigInt, high: BigInt) {
  require(low <= high, s"no value lies between $low and $high")

  def +(other: Bound): Bound = Bound(low + other.low, high + other.high)
  def -(other: Bound): Bound = Bound(low - other.high, high - other.low)
  def unary_- : Bound = Bound(-high, -low)
  def *(k: BigInt): Bound = if (k >= 0) Bound(low * k, high * k) else -this * -k
  def *(other: Bound): Bound = {
    val corners = Seq(low * other.low, low * other.high, high * other.low, high * other.high)
    Bound(corners.min, corners.max)
  }
  def within(other: Bound): Boolean = other.low <= low && high <= other.high

  /** The interval of the absolute values. */
  def absolute: Bound = Bound(0, low.abs max high)

  /** Returns `value`; fails if it is outside the interval. */
  def check(value: BigInt): BigInt = {
    require(low <= value && value <= high, s"$value is not between $low and $high")
    value
  }

  /** Width of the narrowest SInt that holds every value. */
  def width: Int = 1 + magnitudeBits

  /** Width without the sign bit. */
  def magnitudeBits: Int = low.bitLength.max(high.bitLength)
}

object Bound {
  def magnitude(largest: BigInt): Bound = Bound(-largest, largest)

  /** The range of an SInt. */
  def signed(width: Int): Bound = Bound(-(BigInt(1) << (width - 1)), (BigInt(1) << (width - 1)) - 1)

  /** The range of a UInt. */
  def unsigned(width: Int): Bound = Bound(0, (BigInt(1) << width) - 1)
}
