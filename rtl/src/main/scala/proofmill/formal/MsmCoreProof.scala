package proofmill.formal

import proofmill.engine.msm.{BucketAdder, AdderRequestKind, AdditiveGroup}
import proofmill.stream.{Port, StreamUnit}
import spinal.core._
import spinal.lib._

/** The number of times that a sum contains the watched item: none, once, or several times. */
private class Marks(val latency: Int) extends AdditiveGroup {
  val width = 2
  val identity = BigInt(0)
  def adder(): StreamUnit = new MarksAdder(latency)
}

private class MarksAdder(cycles: Int) extends StreamUnit {
  lazy val operands: Seq[Port] = Seq(Port("a", 2), Port("b", 2))
  lazy val results: Seq[Port] = Seq(Port("sum", 2))
  def latency: Option[Int] = Some(cycles)
  private val sum = io.in.payload.takeLow(2).asUInt +^ io.in.payload.dropLow(2).asUInt
  io.in.ready := True
  io.out.valid := Delay(io.in.valid, cycles, init = False)
  io.out.payload := Delay((sum > 3) ? U(3, 2 bits) | sum.resize(2), cycles).asBits
}

/** While points are accumulated in buckets, none is lost and none is added twice. When no point is in flight, each accepted
  * point is contained once in the sum of its own bucket, and in no other one. A point is accepted within a bounded time.
  *
  * Any single point is watched: it counts 1 and all others 0. The model of the adder adds the counts, with a latency of
  * `latency`. Buckets, times and order are free.
  */
class MsmCoreProof(bucketBits: Int, latency: Int) extends Component with Proof {
  private val buckets = 1 << bucketBits
  val dut = new BucketAdder(new Marks(latency), bucketBits)
  val items = freeSource(dut.io.items)
  dut.io.commands.valid := False
  dut.io.commands.payload.assignFromBits(B(0, dut.io.commands.payload.getBitsWidth bits))
  dut.io.externalSum := 0

  val sent = RegInit(False)
  val target = Reg(UInt(bucketBits bits)) init 0
  assume(items.point.asUInt <= 1 && !(sent && items.point(0)))
  when(items.fire && items.point(0)) {
    sent := True
    target := items.bucket
  }

  // Cycles between the output of the adder and the write of the sum.
  private val settling = 3
  val calm = Reg(UInt(log2Up(settling + 1) bits)) init 0
  when(dut.io.busy || items.fire)(calm := 0) elsewhen (calm =/= settling)(calm := calm + 1)
  val contents = dut.buckets.banks.map(bank => words(bank, bank.memory))
  private val turns = dut.flags.bits.map(_.map(bit => words(dut.flags, bit.memory)))
  private def bankOf(bucket: Int) = Integer.bitCount(bucket) % 2
  private val clearing = dut.flags.io.clearing.pull()
  private val full =
    Vec((0 until buckets).map(b => !clearing && turns(bankOf(b)).map(_(b >> 1)).reduce(_ ^ _)))
  private val content = (0 until buckets).map(b => contents(bankOf(b))(b >> 1).asUInt)
  for (bucket <- 0 until buckets) {
    val once = sent && target === bucket
    val counted = full(bucket) ? content(bucket) | U(0)
    assert(calm =/= settling || counted === U(once).resized, s"bucket $bucket has its points, each once")
  }

  val loop = latency + 3 // cycles from the issue of a pair to the decision about its sum
  responds("a point is taken", items.valid && !clearing, items.ready, within = buckets - 1)

  // Invariants about the location of the watched point: before the decision, in a bucket, or in the adder. They are redundant, but shorten the
  // proof.
  private def seen[T <: Data](inside: T): T = inside.pull()
  private val (valid, arrives, pairs) = (seen(dut.valid), seen(dut.returns), seen(dut.issues))
  private val (asked, back) = (seen(dut.request.a), seen(dut.returned.bucket))
  val waiting = RegInit(False) // the decision is about the watched item
  when(seen(dut.advance))(waiting := items.fire && items.point(0))
  val inBucket = Vec(Seq.fill(buckets)(RegInit(False)))
  private def bank(bucket: UInt): Bool = bucket.asBits.xorR
  private def beside(isBeside: Bool, returns: Bool): Bool = isBeside && (returns ? fromAdder | waiting)
  private val enters = Bool()
  private val way =
    (0 to loop + 1).map(i => Delay(enters, i, init = False)) // it entered the adder this many cycles ago
  private def fromAdder: Bool = arrives && way(loop)
  private val others = seen(dut.sumIssues) ? back | asked
  private val operands = Seq(
    (seen(dut.leftFromMemory), seen(dut.leftFromBypass), seen(dut.bypass) || seen(dut.sumIssues)),
    (seen(dut.rightFromMemory), seen(dut.rightFromBypass), seen(dut.sumIssues))
  ).map { case (found, isBeside, returns) =>
    (found, found && inBucket(others), isBeside, !found && beside(isBeside, returns))
  }
  enters := pairs && operands.map { case (_, fromBucket, _, fromBeside) => fromBucket || fromBeside }.orR
  for (b <- 0 until buckets) {
    when(operands.map { case (found, _, _, _) => found }.orR && pairs && others === b)(inBucket(b) := False)
    when(seen(dut.sumWrites) && back === b)(inBucket(b) := fromAdder)
    when(seen(dut.pointWrites) && asked === b)(inBucket(b) := waiting)
  }
  val places = waiting +: inBucket.toSeq :++ way.slice(1, loop + 1)
  assert(CountOne(places) === U(sent), "it is in one place")
  assert(!waiting || (valid && asked === target), "in front of its bucket")
  for (b <- 0 until buckets) assert(!inBucket(b) || (full(b) && target === b), "in its bucket")
  private val ways = (0 to loop + 1).map(i => Delay(pairs, i, init = False))
  private val targets = (0 to loop).map(i => Delay(others, i))
  for (i <- 1 to loop) assert(!way(i) || (ways(i) && targets(i) === target), "on its way to its bucket")
  assert(arrives === ways(loop) && (!arrives || back === targets(loop)), "a sum and its bucket come back together")
  assert(!arrives || seen(dut.flags.io.sumFull) === full(back), "answers hold in their cycle")
  for (b <- 0 until 2)
    assert(!valid || bank(asked) =/= Bool(b == 1) || seen(dut.flags.io.full(b)) === full(asked), "as those of points")

  private val isItem = seen(dut.request.kind) === AdderRequestKind.Item
  assert((clearing || !seen(dut.reducer.io.busy)) && (!valid || isItem), "there are items only")
  for (place <- dut.places.toSeq ++ dut.flags.places) assert(!valid || seen(place) === asked >> 1, "their places")
  assert(!valid || seen(dut.bank) === bank(asked), "and banks")
  assert(!valid || !arrives || seen(dut.sameBucket) === (back === asked), "whether a sum is for the same bucket")
  assert(!arrives || !seen(dut.returned.isAcc), "no sum goes elsewhere")
  assert(seen(dut.inFlight) === CountOne(ways.slice(1, loop + 1)), "how many are inside")

  // Termination: without new points, a returning sum is written, or is added to one of those in the buckets.
  private val rank = (CountOne(full) +^ (seen(dut.inFlight) << 1)).resize(8)
  private val alone = RegNext(!valid && !clearing, init = False)
  assert(!alone || rank + U(RegNext(arrives)).resized <= RegNext(rank), "each sum that comes back leaves fewer")

  // The data agree with the decisions.
  private def mark(bit: Bool): UInt = U(bit).resize(2)
  private def later(value: Bool, cycles: Int): Bool = Delay(value, cycles, init = False)
  private val itemRested = later(seen(dut.pointWrites), 1)
  for (b <- 0 until buckets) {
    val written = dut.buckets.io.write(bankOf(b)).pull() && dut.buckets.io.place(bankOf(b)).pull() === b >> 1
    val (before, wasFull) = (later(inBucket(b), 1), later(full(b), 1))
    assert(!wasFull || content(b) === mark(before), "buckets, a cycle later")
    assert(!full(b) || written || (wasFull && inBucket(b) === before), "what becomes full is written")
    assert(
      clearing || !written || (full(b) && (itemRested ? (later(valid, 1) && inBucket(b) === later(waiting, 1)) |
        (ways(loop + 1) && inBucket(b) === way(loop + 1)))),
      "with what rests"
    )
  }
  private val othersBefore = RegNext(others)
  for (i <- 1 to 4) {
    val parts = operands.flatMap { case (_, fromBucket, _, fromBeside) => Seq(fromBucket, fromBeside) }
    assert(!ways(i) || CountOne(parts.map(later(_, i))) === U(way(i)), "one operand brings it")
  }
  for (((found, fromBucket, isBeside, fromBeside), side) <- operands.zipWithIndex) {
    val memory = dut.buckets.banks(side)
    assert(
      !later(found, 1) || (dut.buckets.io.read(side).pull() === othersBefore >> 1 && bank(othersBefore) === Bool(
        side == 1
      ) &&
        Vec(content)(othersBefore) === mark(later(fromBucket, 1))),
      "what is asked for"
    )
    assert(!later(found, 2) || memory.read.pull().asUInt === mark(later(fromBucket, 2)), "what is read")
    assert(!later(found, 3) || memory.io.found.pull().asUInt === mark(later(fromBucket, 3)), "and a cycle later")
    val operand = dut.adder.io.in.payload.pull().subdivideIn(2 bits)(side).asUInt
    assert(!ways(4) || operand === mark(later(fromBucket || fromBeside, 4)), "operands")
  }
  assert(!ways(loop + 1) || seen(dut.result).asUInt === mark(way(loop + 1)), "the sum")
  assert(!later(valid, 1) || seen(dut.point).asUInt === mark(later(waiting, 1)), "the point")
}
