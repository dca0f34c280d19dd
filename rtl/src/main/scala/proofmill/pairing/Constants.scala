package proofmill.pairing

import proofmill.spec.Field

/** The constants of programs by name, as elements of Fp2: `one`; `sixth`, 1 / 6; `frobeniusK_I` is xi^(I (p^K - 1) / 6). */
object Constants {
  private val Frobenius = """frobenius(\d)_(\d)""".r

  def apply(field: Field)(name: String): (BigInt, BigInt) = name match {
    case "one"           => (1, 0)
    case "sixth"         => (BigInt(6).modInverse(field.modulus), 0)
    case Frobenius(k, i) => power(field, (1, 1), i.toInt * (field.modulus.pow(k.toInt) - 1) / 6)
    case _               => sys.error(s"$name is no constant of a program")
  }

  private def power(field: Field, base: (BigInt, BigInt), exponent: BigInt): (BigInt, BigInt) = {
    def mul(a: (BigInt, BigInt), b: (BigInt, BigInt)) =
      (field.residue(a._1 * b._1 - a._2 * b._2), field.residue(a._1 * b._2 + a._2 * b._1))
    (exponent.bitLength - 1 to 0 by -1).foldLeft((BigInt(1), BigInt(0))) { (x, i) =>
      val square = mul(x, x)
      if (exponent.testBit(i)) mul(square, base) else square
    }
  }
}
