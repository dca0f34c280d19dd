package proofmill.hash

import proofmill.spec.Equihash
import spinal.core._
import spinal.lib._

/** The state that all leaf hashes of one header share.
  *
  * The second and last message block has two non-zero words: m0, and m1, whose high half is the hash number. In the first
  * column step only column 0 therefore depends on the leaf, and only from the second half of its G on.
  */
case class LeafStart() extends Bundle {

  /** Column 0 between the halves of its G, message word m0 already added: a, b, c, d. */
  val column0 = Vec(Bits(64 bits), 4)

  /** Columns 1, 2, 3 after the first column step: a, b, c, d of each. */
  val columns = Vec(Vec(Bits(64 bits), 4), 3)

  /** Message word m0: header bytes 128 to 135. */
  val m0 = Bits(64 bits)

  /** Low half of message word m1: header bytes 136 to 139. */
  val m1 = Bits(32 bits)
}

/** A leaf to hash: the slot of its header's chaining value, and the part of the digest. */
case class LeafTag(slotBits: Int, selectBits: Int) extends Bundle {
  val slot = UInt(slotBits bits)
  val select = UInt(selectBits bits)
}

/** One G of BLAKE2b in two pipeline stages; new operands every cycle.
  *
  * x is added in the first half and y, valid one stage later, in the second half. Each is a message word, or omitted if it is
  * zero. The cost is 4 adders and 2 words of exclusive or: 384 LUT.
  */
class MixG(hasX: Boolean, hasY: Boolean) extends Component {
  setDefinitionName("Blake2bG" + (if (hasX) "x" else "") + (if (hasY) "y" else ""))
  val before = in(Vec(Bits(64 bits), 4)) // a, b, c, d of a column, new ones in every cycle
  val x = hasX generate in(UInt(64 bits)) // message word of the first half, valid with `before`; no port if it is zero
  val y = hasY generate in(UInt(64 bits)) // that of the second half, one cycle after `before`; no port if it is zero
  val after = out(Vec(Bits(64 bits), 4)) // a, b, c, d after both halves, two cycles after `before`

  val middle = Blake2b.firstHalf(before(0).asUInt, before(1), before(2).asUInt, before(3), Option(x))
  val held = Blake2b.Middle(RegNext(middle.a), RegNext(middle.b), RegNext(middle.c), RegNext(middle.d))
  after := Vec(Blake2b.secondHalf(held, Option(y)).map(RegNext(_)))
}

/** The second half of a G: one cycle. */
class MixHalf extends Component {
  setDefinitionName("Blake2bHalf")
  val before = in(Vec(Bits(64 bits), 4)) // a, b, c, d between the halves of a G
  val y = in(UInt(64 bits)) // message word of the second half, valid with `before`
  val after = out(Vec(Bits(64 bits), 4)) // a, b, c, d at the end of the G, one cycle after `before`
  val middle = Blake2b.Middle(before(0).asUInt, before(1), before(2).asUInt, before(3))
  after := Vec(Blake2b.secondHalf(middle, Some(y)).map(RegNext(_)))
}

/** BLAKE2b of Equihash leaves: a pipeline that accepts a hash every cycle and never stalls.
  *
  * {{{
  *   start, hash number ─► half G ─► diagonals ─► 11 rounds of (columns ─► diagonals) ─► ^ h(slot) ─► cut ─► leaf
  *                          1            2              11 x 4 cycles                     1           1
  * }}}
  *
  * Zero message words are not added: two of 16 words remain, and each is used once in each round. They are delayed along with
  * the state.
  *
  * Leaves of several headers can be in flight; each header's chaining value is in a slot of its own, written with the
  * header's start.
  */
class LeafHash(p: Equihash) extends Component {
  private val digestWords = (p.digestBytes + 7) / 8

  /** Maximum number of headers with leaves in flight, plus one; a power of two. */
  val slots: Int = 1 << log2Up(LeafHash.latency / p.indices + 2)
  private val slotBits = log2Up(slots)
  private val selectBits = log2Up(p.indicesPerHash) max 1

  val io = new Bundle {

    /** Chaining value after the first block of a header, written to slot `chainSlot`. */
    val chain = slave(Flow(Vec(Bits(64 bits), digestWords)))
    val chainSlot = in(UInt(slotBits bits)) // the slot of `chain`, valid with it
    val start = in(LeafStart()) // the state that all leaves of the current header share, valid with `tag`
    val hash = in(UInt(32 bits)) // number of the leaf's hash, valid with `tag`
    val tag = slave(Flow(LeafTag(slotBits, selectBits))) // a leaf to hash; `leaf` follows after `LeafHash.latency`

    /** The leaf's n bits, first bit leftmost. */
    val leaf = master(Flow(Bits(p.n bits)))
  }

  private var cycle = 0

  // Message words by cycle: m(0, t) is m0 of the leaf in stage t.
  private val message = Seq(io.start.m0.asUInt, (io.hash ## io.start.m1).asUInt)
  private val travelling = message.map(word => scala.collection.mutable.ArrayBuffer(word))
  private def m(word: Int, at: Int): UInt = {
    val line = travelling(word)
    while (line.size <= at) line += RegNext(line.last).setName(s"m${word}_${line.size}")
    line(at)
  }

  // Round 0, columns: only the second half of column 0 remains.
  private val state = new Array[Bits](16)
  private val half = new MixHalf
  half.before := io.start.column0
  half.y := m(1, 0)
  for (i <- 0 until 4) {
    val after = if (i == 0) half.after else Vec(io.start.columns(i - 1).map(RegNext(_)))
    for (j <- 0 until 4) state(Blake2b.columns(i)(j)) = after(j)
  }
  cycle = 1

  /** Four Gs in parallel: two cycles. A message word other than 0 and 1 is zero. */
  private def step(words: Seq[Seq[Int]], schedule: Seq[Int]): Unit = {
    for (i <- 0 until 4) {
      val (x, y) = (schedule(2 * i), schedule(2 * i + 1))
      val g = new MixG(hasX = x < 2, hasY = y < 2)
      g.before := Vec(words(i).map(state(_)))
      if (x < 2) g.x := m(x, cycle)
      if (y < 2) g.y := m(y, cycle + 1)
      for (j <- 0 until 4) state(words(i)(j)) = g.after(j)
    }
    cycle += 2
  }

  step(Blake2b.diagonals, Blake2b.sigma(0).drop(8))
  for (round <- 1 until 12) {
    step(Blake2b.columns, Blake2b.sigma(round).take(8))
    step(Blake2b.diagonals, Blake2b.sigma(round).drop(8))
  }

  // Chaining: h ^ v ^ v'; then the part of the digest that belongs to the leaf.
  private val chains = Mem(Vec(Bits(64 bits), digestWords), slots)
  chains.write(io.chainSlot, io.chain.payload, io.chain.valid)
  private val tag = Delay(io.tag.payload, cycle)
  private val h = chains.readAsync(tag.slot, writeFirst)
  private val digest = RegNext(Vec((0 until digestWords).map(i => h(i) ^ state(i) ^ state(i + 8))))
  private val bytes = digest.flatMap(_.subdivideIn(8 bits)).take(p.digestBytes)
  private val leaves = Vec(bytes.grouped(p.n / 8).map(leaf => Cat(leaf.reverse)).toSeq)
  private val select = RegNext(tag.select)
  io.leaf.payload := RegNext(leaves(select.resize(log2Up(leaves.size))))
  cycle += 2

  require(cycle == LeafHash.latency)
  io.leaf.valid := Delay(io.tag.valid, cycle, init = False)
}

object LeafHash {
  def apply(p: Equihash) = new LeafHash(p)

  /** Cycles from `tag` to `leaf`: half a G, 23 steps, chaining, cutting. */
  val latency: Int = 1 + 2 * 23 + 2
}
