package proofmill.engine.equihash_verify

import proofmill.spec.Equihash
import spinal.core._
import spinal.lib._

/** What the leaves of one header say. */
case class LeafVerdict() extends Bundle {
  val xorNonZero = Bool()
  val badZeroOrder = Bool()
}

/** The exclusive or of a header's leaves, looked at wherever a subtree ends.
  *
  * X is the exclusive or of the leaves before leaf c. Where c is a multiple of 2^(i+1) a subtree of that size has just
  * ended, and the i-th group of collision bits must be zero in it; the subtrees before it were zero there too, so group i of X must be.
  * One pass, one register of n bits, no stack. The whole tree's end is `xorNonZero`'s alone.
  */
class LeafCheck(p: Equihash) extends Component {
  val io = new Bundle {
    val leaf = slave(Flow(Bits(p.n bits)))
    val verdict = master(Flow(LeafVerdict()))
  }
  val c = Reg(UInt(p.k bits)) init 0
  val x = Reg(Bits(p.n bits)) // of the header before, when c = 0
  val bad = RegInit(False)
  val groups = x.subdivideIn(p.collisionBits bits).reverse.map(_.orR)
  val fresh = c === 0
  val badNow = !fresh && (bad || (0 until p.k).map(i => groups(i) && c(i downto 0) === 0).orR)

  when(io.leaf.valid) {
    c := c + 1
    x := (fresh ? B(0, p.n bits) | x) ^ io.leaf.payload
    bad := badNow
  }
  io.verdict.valid := RegNext(io.leaf.valid && c.andR, init = False)
  io.verdict.xorNonZero := x.orR
  io.verdict.badZeroOrder := bad
}

/** Is every right subtree's first index greater than its left sibling's?
  *
  * At index c the subtree that begins there on level i = (trailing zeros of c) is a right one; its left sibling's first index was stored
  * when it passed. On all lower levels c begins a left subtree. One comparison an index.
  */
class OrderCheck(p: Equihash) extends Component {
  val io = new Bundle {
    val index = slave(Flow(UInt(p.indexBits bits)))
    val bad = master(Flow(Bool()))
  }
  val c = Reg(UInt(p.k bits)) init 0
  val first = Vec(Reg(UInt(p.indexBits bits)), p.k) // of the left subtree on each level
  val right = OHMasking.first(c.asBits) // one-hot: the level on which c begins a right subtree; none for c = 0
  val sibling = MuxOH.or(right, first.map(_.asBits)).asUInt
  val bad = RegInit(False)
  val badNow = bad || (c =/= 0 && io.index.payload <= sibling)
  val last = c.andR

  when(io.index.valid) {
    c := c + 1
    bad := badNow && !last
    for (i <- 0 until p.k) when(c(i downto 0) === 0)(first(i) := io.index.payload)
  }
  io.bad.valid := RegNext(io.index.valid && last, init = False)
  io.bad.payload := RegNext(badNow)
}
