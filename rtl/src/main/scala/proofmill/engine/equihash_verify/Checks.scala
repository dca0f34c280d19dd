package proofmill.engine.equihash_verify

import proofmill.spec.Equihash
import spinal.core._
import spinal.lib._

/** The result of the checks of a header's leaves. */
case class LeafVerdict() extends Bundle {
  val xorNonZero = Bool()
  val badZeroOrder = Bool()
}

/** Accumulates the exclusive or of a header's leaves and checks it at the end of each subtree.
  *
  * X is the exclusive or of the leaves before leaf c. If c is a multiple of 2^(i+1), a subtree of that size has just ended,
  * and the i-th group of collision bits must be zero in it. It is zero in the subtrees before it, too, so group i of X must
  * be zero. One pass and one register of n bits suffice, without a stack. The end of the whole tree is checked by
  * `xorNonZero` only.
  */
class LeafCheck(p: Equihash) extends Component {
  val io = new Bundle {
    val leaf = slave(Flow(Bits(p.n bits))) // leaves of headers, in order
    val verdict = master(Flow(LeafVerdict())) // one for each header, one cycle after its last leaf
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

/** Checks that every right subtree's first index is greater than that of its left sibling.
  *
  * At index c, the subtree on level i = (trailing zeros of c) that begins at c is a right one; the first index of its left
  * sibling was stored when it arrived. On all lower levels c begins a left subtree. Each index needs one comparison.
  */
class OrderCheck(p: Equihash) extends Component {
  val io = new Bundle {
    val index = slave(Flow(UInt(p.indexBits bits))) // indices of headers, in order
    val bad = master(Flow(Bool())) // one for each header: the order is wrong
  }
  val c = Reg(UInt(p.k bits)) init 0
  val first = Vec(Reg(UInt(p.indexBits bits)), p.k) // first index of the left subtree on each level
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
