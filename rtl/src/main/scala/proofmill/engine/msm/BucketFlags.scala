package proofmill.engine.msm

import spinal.core._
import spinal.lib._

/** Which buckets are full, for two who ask: one from outside about what it may change in the next cycle, and sums, whose way is known for
  * long, about what they may change in the cycle after that.
  *
  * A bucket is full when its two bits differ: one is turned over by who comes from outside, the other by sums. So either has a
  * memory of its own, each with one writer. An answer holds in the cycle in which it is there: what was turned over
  * while it was read is in it.
  */
class BucketFlags(bucketBits: Int) extends Component {
  private val count = 1 << (bucketBits - 1)
  val io = new Bundle {

    /** From outside: a place in each bank, taken in a cycle with `next`. The answer stays until the next one. */
    val next = in(Bool())
    val asked = in(Vec(UInt(bucketBits - 1 bits), 2))
    val full = out(Vec(Bool(), 2))

    /** Turns over the places that the present answer is about; only in a cycle with `next`. */
    val turn = in(Vec(Bool(), 2))

    /** Of sums: a bucket in every cycle; the answer comes two cycles later. */
    val sumAsked = in(UInt(bucketBits bits))
    val sumFull = out(Bool())
    val sumTurn = in(Bool())

    /** All buckets become empty; nothing is to be asked or turned over meanwhile. */
    val clear = in(Bool())
    val clearing = out(Bool())
  }

  // 1. Clearing: after reset too.
  private val clearing = RegInit(True)
  private val swept = Reg(UInt(bucketBits - 1 bits)) init 0
  when(clearing) {
    swept := swept + 1
    when(swept.andR)(clearing := False)
  }
  when(io.clear)(clearing := True)
  io.clearing := clearing

  // 2. A question reads both memories, and looks at what is being turned over right now.
  class Bits(place: UInt, turn: Bool) {
    val memory = Mem(Bool(), count)
    private def turned(asked: UInt): Bool = RegNext(turn && place === asked)
    def ask(asked: UInt): Bool = memory.readSync(asked, readUnderWrite = readFirst) ^ turned(asked)

    /** The same from a register, a cycle later. */
    def askEarly(asked: UInt): Bool = RegNext(ask(asked)) ^ turned(RegNext(asked))

    /** The memory's writer: of the bit that is there now. */
    def turnOver(bit: Bool): Unit = memory.write(clearing ? swept | place, !clearing && !bit, clearing || turn)
  }
  private val sumNext = RegNext(io.sumAsked)
  private val (sum, sumBank) = (RegNext(sumNext), RegNext(Bucket.bank(sumNext)))

  /** An answer for as long as nobody asks from outside; the memories read on meanwhile. */
  private val stays = RegNext(!io.next) init False
  private def kept(answer: Bool): Bool = {
    val now = Bool()
    now := stays ? RegNext(now) | answer
    now
  }

  /** Of each bank: the place that is asked about from outside; the bits that are turned over from outside, and those by sums. */
  val places = io.asked.map(RegNextWhen(_, io.next)).toSeq
  val bits = Seq(False, True).zipWithIndex.map { case (bank, i) =>
    val outside = new Bits(places(i), io.turn(i))
    Seq(outside, new Bits(Bucket.place(sum), io.sumTurn && sumBank === bank))
  }
  private val sumFull = bits.zipWithIndex.map { case (both @ Seq(outside, sums), i) =>
    val now = both.map(_.ask(io.asked(i)))
    val sumNow = both.map(_.askEarly(Bucket.place(io.sumAsked)))
    outside.turnOver(kept(now.head))
    sums.turnOver(sumNow.last)
    io.full(i) := kept(now.reduce(_ ^ _))
    sumNow.reduce(_ ^ _)
  }
  io.sumFull := sumBank ? sumFull.last | sumFull.head
}
