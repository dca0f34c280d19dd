package proofmill.engine.msm

import spinal.core._
import spinal.lib._

/** Which buckets are full, for two who ask at the same time, each about what it may change two cycles later.
  *
  * A bucket is full when its two bits differ: one is turned over by who comes from outside, the other by sums. So either has a
  * memory of its own, each with one writer. An answer stands in registers, two cycles after its question, and holds in the cycle in which
  * it is there: what was turned over meanwhile is in it.
  */
class Flags(bucketBits: Int) extends Component {
  private val places = 1 << (bucketBits - 1)
  val io = new Bundle {

    /** From outside: a place in each bank, taken in a cycle with `next`; so is what was asked before, whose answer then comes and stays until
      * the next one.
      */
    val next = in(Bool())
    val asked = in(Vec(UInt(bucketBits - 1 bits), 2))
    val full = out(Vec(Bool(), 2))

    /** Turns over the places that the present answer is about; only in a cycle with `next`. */
    val turn = in(Vec(Bool(), 2))

    /** Of sums: a bucket in every cycle. */
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

  // 2. A question reads both memories, a cycle later their bits go into registers, and at each step with them what is being turned over.
  private class Bits(place: UInt, turn: Bool) {
    private val memory = Mem(Bool(), places)

    /** @param next questions go on to their next step */
    def ask(asked: UInt, next: Bool): Bool = {
      def turned(place: UInt): Bool = turn && place === this.place
      def held[T <: Data](value: T): T = RegNextWhen(value, next)
      val (read, answered) = (held(asked), held(held(asked)))
      val (change, bit) = (Reg(Bool()), Reg(Bool()))
      change := next ? turned(asked) | (change ^ turned(read))
      val now = memory.readSync(asked, next, readUnderWrite = readFirst) ^ change
      bit := next ? (now ^ turned(read)) | (bit ^ turned(answered))
      bit
    }

    /** The memory's writer: of the bit that is there now. */
    def turnOver(bit: Bool): Unit = memory.write(clearing ? swept | place, !clearing && !bit, clearing || turn)
  }

  private val sum = RegNext(RegNext(io.sumAsked))
  private def after(asked: UInt) = RegNextWhen(RegNextWhen(asked, io.next), io.next)
  private val sumFull = Seq(False, True).zipWithIndex.map { case (bank, i) =>
    val outside = new Bits(after(io.asked(i)), io.turn(i))
    val sums = new Bits(Bucket.place(sum), io.sumTurn && Bucket.bank(sum) === bank)
    val bits = Seq(outside, sums).map(_.ask(io.asked(i), io.next))
    val sumBits = Seq(outside, sums).map(_.ask(Bucket.place(io.sumAsked), True))
    outside.turnOver(bits.head)
    sums.turnOver(sumBits.last)
    io.full(i) := bits.reduce(_ ^ _)
    sumBits.reduce(_ ^ _)
  }
  io.sumFull := Bucket.bank(sum) ? sumFull.last | sumFull.head
}
