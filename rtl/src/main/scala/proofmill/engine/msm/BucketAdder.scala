package proofmill.engine.msm

import proofmill.arith.{Copies, Timing}
import spinal.core._
import spinal.lib._

/** Accumulates points into buckets, one point per cycle for any sequence of bucket numbers, and reduces the buckets to their weighted sum on the
  * same adder. The model spec/model/msm_core.py shows why this is correct.
  *
  * A bucket is empty or full. Each cycle has up to two candidates: an input point P, and a sum S that returns from the adder to its bucket. If a
  * candidate's bucket is full, the bucket's content and the candidate enter the adder and the bucket becomes empty; otherwise the candidate is
  * written to the bucket. The returning sum has priority:
  *
  * | candidates                          | into the adder   | buckets                          |
  * |:------------------------------------|:-----------------|:---------------------------------|
  * | the same bucket                     | S + P (bypass)   |                                  |
  * | S's bucket full, P's bucket full    | S + its bucket   | S's becomes empty; P is stalled  |
  * | S's bucket full, P's bucket empty   | S + its bucket   | S's becomes empty; P is written  |
  * | S's bucket empty, P's bucket full   | P + its bucket   | S is written; P's becomes empty  |
  * | S's bucket empty, P's bucket empty  | P + the identity | S is written                     |
  *
  * One candidate alone is treated in the same way. So each cycle has at most one read of a bucket and one write.
  *
  * Pipeline:
  *
  *   1. Lookup: reads the flags of both buckets. The number of S's bucket leaves the delay line before S leaves the adder.
  *   2. Decide: the table. A sum that is issued in this stage is a candidate again [[BucketAdder.loop]] cycles later.
  *   3. Memory: the write, and the addresses of reads. S leaves the adder.
  *   4. `timing.memory` cycles of memory latency, then operand selection, registered for the adder.
  */
class BucketAdder(points: AdditiveGroup, bucketBits: Int, timing: Timing = Timing())
    extends BucketCore(points.width, bucketBits) {
  val adder = points.adder()
  private val loop = BucketAdder.loop(points, timing)
  val buckets = new Buckets(points.width, bucketBits, timing)
  val flags = new BucketFlags(bucketBits)
  val reducer = new BucketReducer(bucketBits, Some(BucketAdder.latency(points, timing)))

  // 1. Lookup: a request of the reducer, or a point. Requests are never stalled.
  reducer.io.request.ready := True
  val accepting = !reducer.io.busy && !io.commands.valid && !flags.io.clearing
  private val candidate = AdderRequest(bucketBits)
  candidate := reducer.io.request.payload
  when(!reducer.io.busy) {
    candidate.kind := AdderRequestKind.Item
    candidate.a := io.items.bucket
    candidate.b := io.items.bucket
  }
  val advance = Bool()
  io.items.ready := advance && accepting

  private val returning = Destination(bucketBits)
  private val returningValid = Bool()
  flags.io.advance := advance
  flags.io.lookup := Vec(candidate.places)
  flags.io.clear := reducer.io.clear

  // 2. Decide: the table for points. The sums of requests are written to their buckets.
  val request = RegNextWhen(candidate, advance)
  val valid = RegNextWhen(reducer.io.request.valid || io.items.valid && accepting, advance) init False
  val places = RegNextWhen(Vec(candidate.places), advance)
  val bank = RegNextWhen(Bucket.bank(candidate.a), advance)
  val sameBucket = RegNext(advance ? (returning.bucket === candidate.a) | (returning.bucket === request.a))
  private val (isItem, isPair, isCollect) =
    (valid && request.isItem, valid && request.isPair, valid && request.kind === AdderRequestKind.Collect)
  private val full = flags.io.full
  private val (fullA, fullB) = (full(bank.asUInt), full((!bank).asUInt))
  val returned = RegNext(returning)
  val returns = RegNext(returningValid) init False
  private val returnedBank = RegNext(Bucket.bank(returning.bucket))

  // The reducer begins and ends while no sum is in flight, so its level may come a cycle late.
  private val returnsToBucket = returns && !Copies.one(reducer.io.busy, init = false)
  val bypass = returnsToBucket && isItem && sameBucket
  val sumIssues = returnsToBucket && !bypass && flags.io.sumFull
  val sumWrites = returns && !bypass && !sumIssues && !returned.isAcc
  val pointWrites = isItem && sumIssues && !fullA
  advance := !(isItem && sumIssues && fullA)
  val requestIssues = valid && advance && !pointWrites
  val emptiesA = requestIssues && !bypass && (isItem || isCollect) && fullA

  private val toggleA = pointWrites || emptiesA || isPair && !fullA
  private val toggleB = isPair && request.kind === AdderRequestKind.Take && fullB
  flags.io.toggle := Vec(bank ? toggleB | toggleA, bank ? toggleA | toggleB)
  flags.io.sumToggle := sumIssues || returnsToBucket && sumWrites

  // The delay line: the destinations of the sums in the adder.
  val issues = sumIssues || requestIssues
  private val destination = Destination(bucketBits)
  destination.bucket := sumIssues ? returned.bucket | request.a
  destination.isAcc := !sumIssues && request.isForAcc
  private val returningNext = Delay(destination, loop - 2)
  flags.io.sumLookup := returningNext.bucket
  returning := RegNext(returningNext)
  returningValid := Delay(issues, loop - 1, init = False)
  io.issued := issues

  val inFlight = Reg(UInt(log2Up(loop + 1) bits)) init 0
  inFlight := inFlight + issues.asUInt - returns.asUInt
  reducer.io.settled := inFlight === 0 && !valid && !flags.io.clearing
  reducer.io.clearing := flags.io.clearing
  reducer.io.command << io.commands
  io.busy := reducer.io.busy || !reducer.io.settled

  // 3. Memory. A point follows its bucket's number one cycle later, so that its register is enabled by a register and not by the decision, whose
  // fan-out would be all bits of a point.
  private val stalled = RegNext(!advance) init False
  val point = RegNextWhen(RegNext(io.items.point), !stalled)
  val result = adder.io.out.payload
  private val pointWritesNow = RegNext(pointWrites)
  buckets.io.read := RegNext(Vec(places.map(place => sumIssues ? Bucket.place(returned.bucket) | place)))
  buckets.io.write := RegNext(Vec(Seq(False, True).map(b =>
    sumWrites && returnedBank === b || pointWrites && bank === b
  )))
  for (bank <- 0 until 2) {
    buckets.io.place(bank) := RegNext(pointWrites ? Bucket.place(request.a) | Bucket.place(returned.bucket))
    buckets.io.point(bank) := pointWritesNow ? point | result
  }

  private val acc = RegNextWhen(result, RegNext(returns && returned.isAcc))
  io.acc := acc

  // 4. Operands. The left one is from bank 0, the right one from bank 1; an operand that is not from memory is bypassed, or is the identity.
  private val withoutBucket =
    valid && (request.kind === AdderRequestKind.Double || request.kind === AdderRequestKind.Gather)
  val leftFromMemory = sumIssues && !returnedBank || emptiesA && !bank || isPair && full(0)
  val rightFromMemory = sumIssues && returnedBank || emptiesA && bank || isPair && full(1)
  val leftFromBypass = bypass || sumIssues && returnedBank || emptiesA && bank || isCollect && bank || withoutBucket
  val rightFromBypass =
    bypass || sumIssues && !returnedBank || isItem && !rightFromMemory || isCollect && !bank || withoutBucket
  private val outside = RegNext(reducer.io.busy)
  private val gathers = RegNext(request.kind === AdderRequestKind.Gather)
  private val left = RegNext(bypass || sumIssues) ? result | (outside ? acc | point)
  private val right = RegNext(sumIssues) ? result | (outside ? (gathers ? io.externalSum | acc) | point)

  private def operand(found: Bits, isFromMemory: Bool, bypassed: Bits, isBypass: Bool): Bits = RegNext(
    Delay(isFromMemory, timing.memory + 1) ? found | (Delay(isBypass, timing.memory + 1) ? Delay(
      bypassed,
      timing.memory
    ) | B(
      points.identity,
      points.width bits
    ))
  )
  adder.io.in.valid := Delay(issues, timing.memory + 2, init = False)
  adder.io.in.payload :=
    operand(buckets.io.found(1), rightFromMemory, right, rightFromBypass) ## operand(
      buckets.io.found(0),
      leftFromMemory,
      left,
      leftFromBypass
    )
  adder.io.out.ready := True
}

/** The destination of a sum: a bucket, or the accumulator. */
case class Destination(bucketBits: Int) extends Bundle {
  val bucket = UInt(bucketBits bits)
  val isAcc = Bool()
}

object BucketAdder {

  /** Cycles from the issue of a sum to the decision about it. */
  private def loop(points: AdditiveGroup, timing: Timing): Int = points.latency + timing.memory + 1

  /** Cycles from an issue to the sum in its bucket. */
  def latency(points: AdditiveGroup, timing: Timing): Int = loop(points, timing) + 1
}
