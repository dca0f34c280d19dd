package proofmill.engine.msm

import proofmill.arith.{Copies, Timing}
import spinal.core._
import spinal.lib._

/** An adder with its buckets: takes points for buckets, one a cycle whatever the buckets are, and makes the weighted sum of the
  * buckets on the same adder. spec/model/msm_core.py is the same as a program and tells why it works.
  *
  * A bucket is empty or full. X is a point from outside, R a sum on its way back to its bucket:
  *
  * | X and R                        | into the adder   | buckets                       |
  * |:-------------------------------|:-----------------|:------------------------------|
  * | for the same bucket            | R + X            |                               |
  * | R's full, X's full             | R + its bucket   | R's empty; X waits            |
  * | R's full, X's empty            | R + its bucket   | R's empty, X in its own       |
  * | R's empty, X's full            | X + its bucket   | R in its own, X's empty       |
  * | R's empty, X's empty           | X + the identity | R in its own                  |
  *
  * One without the other does the same. So every cycle has at most one read and one write.
  *
  *   - Lookup: is X's bucket full, is R's? R's number leaves the delay line before its point leaves the adder.
  *   - Decide: the table. Here a sum's way begins; it decides again [[BucketAdder.loop]] cycles later.
  *   - Memory: a write, and the addresses of reads. R's point is here.
  *   - `timing.memory` cycles more until the memory answers; then the operands are chosen, and registered for the adder.
  */
class BucketAdder(points: Summands, bucketBits: Int, timing: Timing = Timing()) extends Component {
  val io = new Bundle {

    /** Points for buckets; none is taken while an order waits or is carried out. `ready` does not depend on `valid`. */
    val items = slave(Stream(Item(points, bucketBits)))

    /** Taken when no item is inside. */
    val orders = slave(Stream(Order(bucketBits)))

    /** What Gather adds; steady meanwhile. */
    val other = in(Bits(points.width bits))

    /** An order is being carried out, an item is inside, or the buckets are being cleared after reset. */
    val busy = out(Bool())

    /** The accumulator; steady when not busy. */
    val acc = out(Bits(points.width bits))

    /** A pair enters the adder. */
    val issued = out(Bool())
  }

  val adder = points.adder()
  private val loop = BucketAdder.loop(points, timing)
  val buckets = new Buckets(points, bucketBits, timing)
  val flags = new BucketFlags(bucketBits)
  val tail = new Tail(bucketBits, BucketAdder.latency(points, timing))

  // Lookup: a request of the tail, or a point. Requests are never held up.
  val taking = !tail.io.busy && !io.orders.valid && !flags.io.clearing
  private val asked = AdderRequest(bucketBits)
  asked := tail.io.request.payload
  when(!tail.io.busy) {
    asked.kind := AdderRequestKind.Item
    asked.a := io.items.bucket
    asked.b := io.items.bucket
  }
  val next = Bool()
  io.items.ready := next && taking

  private val coming = Destination(bucketBits)
  private val comes = Bool()
  flags.io.next := next
  flags.io.asked := Vec(asked.places)
  flags.io.clear := tail.io.clear

  // Decide: the table for points; a tail's sums go where they belong, and no request waits.
  val request = RegNextWhen(asked, next)
  val valid = RegNextWhen(tail.io.request.valid || io.items.valid && taking, next) init False
  val places = RegNextWhen(Vec(asked.places), next)
  val bank = RegNextWhen(Bucket.bank(asked.a), next)
  val alike = RegNext(next ? (coming.bucket === asked.a) | (coming.bucket === request.a))
  private val (isItem, isPair, isCollect) =
    (valid && request.isItem, valid && request.isPair, valid && request.kind === AdderRequestKind.Collect)
  private val full = flags.io.full
  private val (fullA, fullB) = (full(bank.asUInt), full((!bank).asUInt))
  val sum = RegNext(coming)
  val arrives = RegNext(comes) init False
  private val sumBank = RegNext(Bucket.bank(coming.bucket))

  // A tail begins and ends when no sum is on its way, so it may be known a cycle late.
  private val matching = arrives && !Copies.one(tail.io.busy, init = false)
  val meet = matching && isItem && alike
  val sumPairs = matching && !meet && flags.io.sumFull
  val sumRests = arrives && !meet && !sumPairs && !sum.isAcc
  val itemRests = isItem && sumPairs && !fullA
  next := !(isItem && sumPairs && fullA)
  val requestPairs = valid && next && !itemRests
  val takesA = requestPairs && !meet && (isItem || isCollect) && fullA

  private val turnA = itemRests || takesA || isPair && !fullA
  private val turnB = isPair && request.kind === AdderRequestKind.Take && fullB
  flags.io.turn := Vec(bank ? turnB | turnA, bank ? turnA | turnB)
  flags.io.sumTurn := sumPairs || matching && sumRests

  // The delay line: where the sum of what enters goes.
  val pairs = sumPairs || requestPairs
  private val destination = Destination(bucketBits)
  destination.bucket := sumPairs ? sum.bucket | request.a
  destination.isAcc := !sumPairs && request.isForAcc
  private val soon = Delay(destination, loop - 2)
  flags.io.sumAsked := soon.bucket
  coming := RegNext(soon)
  comes := Delay(pairs, loop - 1, init = False)
  io.issued := pairs

  val inside = Reg(UInt(log2Up(loop + 1) bits)) init 0
  inside := inside + pairs.asUInt - arrives.asUInt
  tail.io.settled := inside === 0 && !valid && !flags.io.clearing
  tail.io.clearing := flags.io.clearing
  tail.io.order << io.orders
  io.busy := tail.io.busy || !tail.io.settled

  // Memory: what rests is written, and what the adder takes is read. A point comes a cycle after its bucket's number, so that
  // a register holds it and not the decision itself, whose wire to all of a point is long.
  private val waits = RegNext(!next) init False
  val point = RegNextWhen(RegNext(io.items.point), !waits)
  val result = adder.io.out.payload
  private val itemWrites = RegNext(itemRests)
  buckets.io.read := RegNext(Vec(places.map(place => sumPairs ? Bucket.place(sum.bucket) | place)))
  buckets.io.write := RegNext(Vec(Seq(False, True).map(b => sumRests && sumBank === b || itemRests && bank === b)))
  buckets.io.place := RegNext(itemRests ? Bucket.place(request.a) | Bucket.place(sum.bucket))
  buckets.io.point := itemWrites ? point | result

  private val acc = RegNextWhen(result, RegNext(arrives && sum.isAcc))
  io.acc := acc

  // Operands. Bank 0 is read for the left one and bank 1 for the right one; the other comes along, or is the identity.
  private val alone = valid && (request.kind === AdderRequestKind.Double || request.kind === AdderRequestKind.Gather)
  val leftFound = sumPairs && !sumBank || takesA && !bank || isPair && full(0)
  val rightFound = sumPairs && sumBank || takesA && bank || isPair && full(1)
  val leftBeside = meet || sumPairs && sumBank || takesA && bank || isCollect && bank || alone
  val rightBeside = meet || sumPairs && !sumBank || isItem && !rightFound || isCollect && !bank || alone
  private val outside = RegNext(tail.io.busy)
  private val gathers = RegNext(request.kind === AdderRequestKind.Gather)
  private val left = RegNext(meet || sumPairs) ? result | (outside ? acc | point)
  private val right = RegNext(sumPairs) ? result | (outside ? (gathers ? io.other | acc) | point)

  private def operand(found: Bits, isFound: Bool, beside: Bits, isBeside: Bool): Bits = RegNext(
    Delay(isFound, timing.memory + 1) ? found | (Delay(isBeside, timing.memory + 1) ? Delay(beside, timing.memory) | B(
      points.identity,
      points.width bits
    ))
  )
  adder.io.in.valid := Delay(pairs, timing.memory + 2, init = False)
  adder.io.in.payload :=
    operand(buckets.io.found(1), rightFound, right, rightBeside) ## operand(
      buckets.io.found(0),
      leftFound,
      left,
      leftBeside
    )
  adder.io.out.ready := True
}

/** Where a sum goes: to its bucket, or to the accumulator. */
case class Destination(bucketBits: Int) extends Bundle {
  val bucket = UInt(bucketBits bits)
  val isAcc = Bool()
}

object BucketAdder {

  /** Cycles from a decision to the one about its sum. */
  private def loop(points: Summands, timing: Timing): Int = points.latency + timing.memory + 1

  /** Cycles from a pair that enters to its sum in a bucket. */
  def latency(points: Summands, timing: Timing): Int = loop(points, timing) + 1
}
