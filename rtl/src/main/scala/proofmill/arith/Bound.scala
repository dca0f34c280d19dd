package proofmill.arith

/** All values that a signed integer may have: `low` to `high`, both included. */
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

  /** The value itself, which has to be within. */
  def check(value: BigInt): BigInt = {
    require(low <= value && value <= high, s"$value is not between $low and $high")
    value
  }

  /** Bits of the narrowest SInt that holds every value. */
  def width: Int = 1 + low.bitLength.max(high.bitLength)
}

object Bound {
  def magnitude(largest: BigInt): Bound = Bound(-largest, largest)

  /** Every value of an SInt. */
  def signed(width: Int): Bound = Bound(-(BigInt(1) << (width - 1)), (BigInt(1) << (width - 1)) - 1)

  /** Every value of a UInt. */
  def unsigned(width: Int): Bound = Bound(0, (BigInt(1) << width) - 1)
}
