package proofmill.engine.equihash_verify

import spinal.core._
import spinal.lib._

/** Checks a hash against its compact target, and the target itself. It accepts one 32-bit word each cycle, least significant
  * first.
  *
  * zcashd `arith_uint256::SetCompact` and `CheckProofOfWork`: size = bits >> 24, word = bits & 0x7fffff, target = word *
  * 256^(size-3). The check fails if the target is negative, zero, overflows 256 bits or exceeds the limit, or if the hash
  * exceeds it.
  *
  * Each word of the target is compared one cycle after its arrival: the inequality of a higher word replaces the result of
  * the lower words. `bits` and `limit` are sampled when a word arrives.
  */
class Difficulty extends Component {
  val io = new Bundle {
    val bits = in(Bits(32 bits)) // compact target
    val limit = in(Bits(256 bits)) // largest target allowed
    val enable = in(Bool()) // the check is enabled; otherwise `fail` is false
    val hash = slave(Stream(Fragment(Bits(32 bits)))) // words of a hash

    /** True for a failure; valid with the hash's last word. */
    val fail = master(Stream(Bool()))
  }

  val j = Reg(UInt(3 bits)) init 0
  val size = io.bits(31 downto 24).asUInt
  val word = io.bits(22 downto 0).resize(24 bits)
  val mantissa = word.subdivideIn(8 bits)

  // Byte q of target word j is mantissa byte 4j + q + 3 - size.
  def byteOf(q: Int): Bits = {
    val which = ((j << 2).resize(9 bits) + (q + 3)) - size.resize(9 bits)
    which.mux((0 until 3).map(i => i -> mantissa(i)) :+ (default -> B(0, 8 bits)): _*)
  }

  val target = Cat((0 until 4).map(byteOf))

  val negative = word.orR && io.bits(23)
  val overflow =
    word.orR && (size > 34 || (word(23 downto 8).orR && size > 33) || (word(23 downto 16).orR && size > 32))

  // A word with the corresponding words of the target and of the limit.
  val placed = io.hash.translateWith {
    val now = Compared()
    now.hash := io.hash.fragment
    now.target := target
    now.limit := io.limit.subdivideIn(32 bits)(j)
    now.wrong := negative || overflow
    now.last := io.hash.last
    now
  }.m2sPipe()
  when(io.hash.fire)(j := j + 1)

  val hashAbove, targetAbove, targetNonZero = RegInit(False)
  def replaced(before: Bool, left: Bits, right: Bits): Bool =
    (left.asUInt > right.asUInt) || (left === right && before)
  val hashAboveNow = replaced(hashAbove, placed.hash, placed.target)
  val targetAboveNow = replaced(targetAbove, placed.target, placed.limit)
  val nonZeroNow = targetNonZero || placed.target.orR

  io.fail.payload := io.enable && (placed.wrong || !nonZeroNow || targetAboveNow || hashAboveNow)
  io.fail.valid := placed.valid && placed.last
  placed.ready := io.fail.ready || !placed.last
  when(placed.fire) {
    hashAbove := hashAboveNow && !placed.last
    targetAbove := targetAboveNow && !placed.last
    targetNonZero := nonZeroNow && !placed.last
  }
}

/** One word of a hash with those of its target and of the limit; `wrong`: the target is invalid. */
case class Compared() extends Bundle {
  val hash, target, limit = Bits(32 bits)
  val wrong, last = Bool()
}
