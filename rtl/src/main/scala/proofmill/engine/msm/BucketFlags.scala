package proofmill.engine.msm

import spinal.core._
import spinal.lib._

/** The full flags of the buckets, with two independent users: input points, which may change flags in the cycle after their lookup, and
  * returning sums, which may change them two cycles after their lookup.
  *
  * A flag is two bits, and the bucket is full if they differ: points toggle one of them, sums the other. So each bit has a memory of its own with
  * one write port. Results include what was toggled while the memories were read.
  */
class BucketFlags(bucketBits: Int) extends Component {
  private val count = 1 << (bucketBits - 1)
  val io = new Bundle {

    /** Level: `lookup` is accepted in this cycle. */
    val advance = in(Bool())
    val lookup = in(Vec(UInt(bucketBits - 1 bits), 2)) // points: an address in each bank
    val full = out(Vec(Bool(), 2)) // the flags at `lookup`, one cycle later; held until the next result

    /** Pulses, only with `advance`: toggle the flags of the present result. */
    val toggle = in(Vec(Bool(), 2))

    /** Sums: a bucket, in every cycle. */
    val sumLookup = in(UInt(bucketBits bits))
    val sumFull = out(Bool()) // the flag of `sumLookup`, two cycles later
    val sumToggle = in(Bool()) // pulse with `sumFull`: toggles that flag

    /** Pulse: all buckets become empty. */
    val clear = in(Bool())
    val clearing = out(Bool()) // level: they are being emptied, also after a reset; no lookups and toggles then
  }

  // 1. Clearing, also after reset.
  private val clearing = RegInit(True)
  private val swept = Reg(UInt(bucketBits - 1 bits)) init 0
  when(clearing) {
    swept := swept + 1
    when(swept.andR)(clearing := False)
  }
  when(io.clear)(clearing := True)
  io.clearing := clearing

  // 2. A lookup reads both memories and forwards what is toggled in the same cycle.
  class FlagBits(place: UInt, toggles: Bool) {
    val memory = Mem(Bool(), count)
    private def toggled(address: UInt): Bool = RegNext(toggles && place === address)
    def read(address: UInt): Bool = memory.readSync(address, readUnderWrite = readFirst) ^ toggled(address)

    /** A lookup with an output register, one cycle later. */
    def readRegistered(address: UInt): Bool = RegNext(read(address)) ^ toggled(RegNext(address))

    /** The write port; `bit` is the present value. */
    def write(bit: Bool): Unit = memory.write(clearing ? swept | place, !clearing && !bit, clearing || toggles)
  }
  private val sumNext = RegNext(io.sumLookup)
  private val (sumBucket, sumBank) = (RegNext(sumNext), RegNext(Bucket.bank(sumNext)))

  /** Holds the result of a point's lookup until the next one; the memories are read in every cycle. */
  private val holds = RegNext(!io.advance) init False
  private def held(answer: Bool): Bool = {
    val now = Bool()
    now := holds ? RegNext(now) | answer
    now
  }

  /** Per bank: the address of the point's lookup; the bits that points toggle, and those that sums toggle. */
  val places = io.lookup.map(RegNextWhen(_, io.advance)).toSeq
  val bits = Seq(False, True).zipWithIndex.map { case (bank, i) =>
    val points = new FlagBits(places(i), io.toggle(i))
    Seq(points, new FlagBits(Bucket.place(sumBucket), io.sumToggle && sumBank === bank))
  }
  private val sumFull = bits.zipWithIndex.map { case (both @ Seq(points, sums), i) =>
    val present = both.map(_.read(io.lookup(i)))
    val sumNow = both.map(_.readRegistered(Bucket.place(io.sumLookup)))
    points.write(held(present.head))
    sums.write(sumNow.last)
    io.full(i) := held(present.reduce(_ ^ _))
    sumNow.reduce(_ ^ _)
  }
  io.sumFull := sumBank ? sumFull.last | sumFull.head
}
