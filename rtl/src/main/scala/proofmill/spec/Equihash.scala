package proofmill.spec

/** An Equihash parameter set; all but the first four numbers are derived.
  *
  * Source: Zcash protocol specification, 7.7.1.
  */
case class Equihash(n: Int, k: Int, personalisation: String, headerBytes: Int) {
  require(n % 8 == 0 && n <= 512 && n % (k + 1) == 0, s"($n,$k) is not an Equihash parameter set")

  val indices: Int = 1 << k
  val collisionBits: Int = n / (k + 1)
  val indexBits: Int = collisionBits + 1
  val indicesPerHash: Int = 512 / n
  val digestBytes: Int = indicesPerHash * n / 8
  val solutionBytes: Int = (indices * indexBits + 7) / 8

  /** The CompactSize before the solution, first byte first. */
  val compactSize: Seq[Int] =
    if (solutionBytes < 0xfd) Seq(solutionBytes) else Seq(0xfd, solutionBytes & 0xff, solutionBytes >> 8)

  /** Header, CompactSize and solution. */
  val totalBytes: Int = headerBytes + compactSize.size + solutionBytes

  def name: String = s"equihash_${n}_$k"
}

object Equihash {
  def apply(instance: String): Equihash = {
    val table = Spec.table(s"hashes/$instance")
    Equihash(
      Spec.int(table, "n"),
      Spec.int(table, "k"),
      table.getString("personalisation"),
      Spec.int(table, "header_bytes")
    )
  }
}
