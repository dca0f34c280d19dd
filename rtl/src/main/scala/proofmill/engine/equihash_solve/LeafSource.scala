package proofmill.engine.equihash_solve

import proofmill.hash.{LeafHashRing, Midstate}
import spinal.core._
import spinal.lib._

/** The entries of table 0: the leaves of a header in the order of their indices, one each cycle at most.
  *
  * {{{
  *   header ─► Midstate ─► start ─► LeafHashRing ─► queue of digests ─► leaves
  * }}}
  * A hash is begun when the queue has space for its digest.
  */
class LeafSource(config: SolverConfig) extends Component {
  private val p = config.params
  private val depth = 32
  val io = new Bundle {
    val word = slave(Stream(Bits(64 bits))) // words 0 to 17 of the header
    val personalisation =
      in(Bits(64 bits)) // the first eight bytes of BLAKE2b's personalisation; steady while a header enters
    val entries = master(Stream(Entry(config))) // all leaves of the header
  }
  val midstate = new Midstate(p, config.timing)
  midstate.io.word << io.word
  midstate.io.personalisation := io.personalisation

  val ring = new LeafHashRing(p, config.passes)
  val prepared = midstate.io.result
  val hashing, working = RegInit(False) // hashes, and leaves, are left
  prepared.ready := !working
  ring.io.start := RegNextWhen(prepared.start, prepared.fire)
  ring.io.h := RegNextWhen(prepared.h, prepared.fire)

  val held = Reg(UInt(log2Up(depth + 1) bits)) init 0 // digests in the ring and in the queue
  val number = Reg(UInt(p.indexBits bits)) init 0
  private val last = ((1 << p.indexBits) - 1) / p.indicesPerHash
  ring.io.number.valid := hashing && !held.msb
  ring.io.number.payload := number
  when(ring.io.number.fire) {
    number := number + 1
    when(number === last)(hashing := False)
  }

  val queue = StreamFifo(ring.io.digest.payload, depth, forFMax = true)
  queue.io.push.valid := ring.io.digest.valid
  queue.io.push.payload := ring.io.digest.payload
  private val digest = queue.io.pop
  held := held + ring.io.number.fire.asUInt - digest.fire.asUInt

  // The leaves of a digest, each with its first bit leftmost.
  val select = Reg(UInt(log2Up(p.indicesPerHash) max 1 bits)) init 0
  val index = Reg(UInt(p.indexBits bits)) init 0
  private val bytes = digest.payload.subdivideIn(8 bits)
  private val leaves = Vec(bytes.grouped(p.n / 8).map(leaf => Cat(leaf.reverse)).toSeq)
  val leaf = Stream(Entry(config))
  leaf.valid := digest.valid
  leaf.string := leaves(select.resize(log2Up(leaves.size)))
  leaf.reference := index.asBits.resized
  digest.ready := leaf.ready && (select === p.indicesPerHash - 1 || index.andR)
  when(leaf.fire) {
    index := index + 1
    select := digest.ready ? U(0) | select + 1
    when(index.andR)(working := False)
  }
  io.entries << leaf.m2sPipe()

  when(prepared.fire) {
    hashing := True
    working := True
    number := 0
  }
}
