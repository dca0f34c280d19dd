package proofmill.field

import proofmill.spec.Field

/** Converts an integer to digits, divides it by `divisor`, and adds the digits of a second operand.
  *
  * Without a divisor the lowest bits become digit 0 unchanged; each chunk of the other bits has a table of its digits.
  */
object EntrySteps {
  def apply(field: Field, options: Options, divisor: BigInt = 1): Reduction = {
    val form = Form(field, options)
    val digits = form.digits
    val keep = if (divisor == 1) form.base.abs.bitLength - 1 else 0
    val tempo = Tempo(options.price.pace, options.chain)
    val inverse = divisor.modInverse(field.modulus)
    val tables = (0 until digits).map { i =>
      val low = Option.when(i == 0 && keep > 0)(Slice(0, keep))
      ChunkTables(keep, low, value => form.split(field.residue(value * inverse))(i), tempo.pace, tempo.chain)
    }
    val sums = Seq.tabulate(digits, 2 * digits)((i, j) => BigInt(if (j % digits == i) 1 else 0))
    val steps = Seq(Expand(tables +: Seq.fill(digits)(Seq(Slice.whole))), Combination(sums, tempo.pace))
    Reduction(steps ++ form.afterSums.steps)
  }
}
