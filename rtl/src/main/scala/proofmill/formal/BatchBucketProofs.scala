package proofmill.formal

import proofmill.curve.PairAdder
import proofmill.engine.msm.{Bucket, BatchBucketAdder, CandidateFlags}
import spinal.core._
import spinal.lib._

/** Flags looked up by several users are those of the buckets, whoever changes them and whenever a user advances. */
class CandidateFlagsProof(bucketBits: Int, others: Int) extends Component with Proof {
  private val buckets = 1 << bucketBits
  val dut = new CandidateFlags(bucketBits, others)
  val places = freeInput(dut.io.places)
  val next = freeInput(dut.io.buckets)
  val take = freeInput(dut.io.take)
  val advance = freeInput(dut.io.advance)
  val toggle = freeInput(dut.io.toggle)
  val toggles = freeInput(dut.io.toggles)
  val clear = freeInput(dut.io.clear)
  private val clearing = dut.io.clearing || clear

  // The buckets of each user's deciding candidate, and whether its flag was looked up since the buckets were cleared.
  private def later[T <: Data](value: T, user: Int): T = RegNextWhen(RegNextWhen(value, take(user)), advance(user))
  private val seen = (0 until 2).map(bank => later(places(bank), 0))
  private val own = (0 until others).map(i => later(next(i), i + 1))
  private val looked = (0 to others).map { user =>
    val waits, decides = RegInit(False)
    when(take(user))(waits := True)
    when(advance(user))(decides := waits)
    for (flag <- Seq(waits, decides)) flag.clearWhen(clearing)
    decides
  }
  private def mayToggle(user: Int) = advance(user) && looked(user) && !clearing
  assume(mayToggle(0) || !toggle.orR)
  for (i <- 0 until others) assume(mayToggle(i + 1) || !toggles(i))

  private def number(bank: Int, place: UInt): UInt = { // the bucket at an address of a bank
    val even = place << 1
    (Bucket.bank(even) === Bool(bank == 1)) ? even | (even | 1)
  }
  val full = Vec(Seq.fill(buckets)(RegInit(False)))
  for (bucket <- 0 until buckets) {
    val bank = Integer.bitCount(bucket) % 2
    val changes =
      (toggle(bank) && seen(bank) === bucket >> 1) +: (0 until others).map(i => toggles(i) && own(i) === bucket)
    when(changes.reduce(_ ^ _))(full(bucket) := !full(bucket))
    when(clearing)(full(bucket) := False)
  }
  for (bank <- 0 until 2)
    assert(!looked(0) || dut.io.full(bank) === full(number(bank, seen(bank))), s"the flag in bank $bank")
  for (i <- 0 until others) assert(!looked(i + 1) || dut.io.isFull(i) === full(own(i)), s"the flag of user ${i + 1}")
}

/** An adder of marks: how often the watched point is in a sum. Sums leave when and in what order the proof likes. A point's
  * lowest bit marks the identity, the two bits above count.
  */
private class MarksPairAdder(tagBits: Int, places: Int) extends PairAdder(3, tagBits) {
  val choice = in(UInt(log2Up(places) bits))
  val leaves, accepts = in(Bool())
  val busy = Vec(Seq.fill(places)(RegInit(False)))
  private val marks = Vec(Seq.fill(places)(Reg(UInt(2 bits)) init 0))
  private val tags = Vec(Seq.fill(places)(Reg(Bits(tagBits bits)) init 0))
  private def count(point: Bits): UInt = point(0) ? U(0, 2 bits) | point(2 downto 1).asUInt
  private val sum = count(io.pairs.left) +^ count(io.pairs.right)
  io.ready := accepts
  io.sums.valid := leaves && busy(choice)
  io.sums.tag := tags(choice)
  io.sums.sum := marks(choice) ## False
  when(io.sums.valid)(busy(choice) := False)
  private val free = OHMasking.first(busy.map(!_))
  for (i <- 0 until places) when(io.pairs.valid && free(i)) {
    busy(i) := True
    marks(i) := (sum > 3) ? U(3, 2 bits) | sum.resize(2)
    tags(i) := io.pairs.tag
  }
  val overflows: Bool = io.pairs.valid && busy.andR
}

/** In the first cycles after a reset: while points are accumulated by a [[BatchBucketAdder]], none is lost and none is added
  * twice, whatever the adder's latency and the order of its sums. When no point is in flight, each accepted point is contained
  * once in the sum of its own bucket, and in no other one.
  *
  * Any single point is watched: it counts 1 and all others 0. Buckets, times and order are free, and so are the cycles in
  * which the adder accepts a pair, whatever the interval: it only decides what is written in the others.
  */
class BatchBucketProof(bucketBits: Int, interval: Int, length: Int) extends Component with Proof {
  override def cycles: Option[Int] = Some(length)
  private val buckets = 1 << bucketBits
  private def makeAdder() = new MarksPairAdder(bucketBits + 1, places = 4)
  val dut = new BatchBucketAdder(3, bucketBits, capacity = 8, makeAdder _, asides = 4, interval)
  private val adder = dut.adder.asInstanceOf[MarksPairAdder]
  val choice = in(cloneOf(adder.choice))
  val leaves, accepts = in(Bool())
  dut.rework {
    adder.choice := choice.pull()
    adder.leaves := leaves.pull()
    adder.accepts := accepts.pull()
  }
  assume(!adder.overflows.pull())
  val items = freeSource(dut.io.items)
  dut.io.commands.valid := False
  dut.io.commands.payload.assignFromBits(B(0, dut.io.commands.payload.getBitsWidth bits))
  dut.io.externalSum := 1

  val sent = RegInit(False)
  val target = Reg(UInt(bucketBits bits)) init 0
  private val watched = items.valid && items.point.asUInt === 2
  assume(items.point(0) === False && items.point.asUInt <= 2 && !(sent && watched))
  when(items.fire && watched) {
    sent := True
    target := items.bucket
  }

  private val settling = 3 // cycles between the decision about a sum and its write
  val calm = Reg(UInt(log2Up(settling + 1) bits)) init 0
  when(dut.io.busy || items.fire)(calm := 0) elsewhen (calm =/= settling)(calm := calm + 1)
  val contents = dut.buckets.banks.map(bank => words(bank, bank.memory))
  private val bits = dut.flags.bits.map(_.map(copies => words(dut.flags, copies.head)))
  private val clearing = dut.flags.io.clearing.pull()
  for (bucket <- 0 until buckets) {
    val (bank, place) = (Integer.bitCount(bucket) % 2, bucket >> 1)
    val full = !clearing && bits(bank).map(_(place)).reduce(_ ^ _)
    val counted = full ? contents(bank)(place)(2 downto 1).asUInt | U(0, 2 bits)
    val once = sent && target === bucket
    assert(calm =/= settling || counted === U(once).resize(2), s"bucket $bucket has its points, each once")
  }
  responds("a point is taken", items.valid && !clearing && accepts, items.ready, within = 2 * buckets)
}
