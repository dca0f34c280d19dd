package proofmill.engine.msm

import proofmill.arith.{Copies, Timing}
import proofmill.curve.{AffineLaw, AffinePoint, BatchAdder, PairAdder}
import spinal.core._
import spinal.lib._

/** Accumulates points of `width` bits into buckets, and reduces the buckets to their weighted sum, on a [[BatchAdder]], whose sums return after some
  * hundred to two thousand cycles.
  *
  * A bucket is empty or full. Each cycle has up to three candidates: an input point P, the next sum S, and a sum T that was set aside. One pair enters
  * the adder per cycle, with at most one bucket's content, and each bank of the buckets has one write:
  *
  * | candidates                                  | into the adder         | buckets                                              |
  * |:--------------------------------------------|:-----------------------|:-----------------------------------------------------|
  * | S and P for the same bucket                 | S + P                  |                                                      |
  * | S's bucket full, P's bucket full            | P + its bucket         | P's becomes empty; S is set aside                    |
  * | the same, with no space to set S aside      | S + its bucket         | S's becomes empty; P is stalled                      |
  * | S's bucket full, P's bucket empty           | S + its bucket         | S's becomes empty; P is written                      |
  * | S's bucket empty, P's bucket full           | P + its bucket         | S is written; P's becomes empty                      |
  * | both empty, in different banks              | T + its bucket if full | S and P are written; T's becomes empty               |
  * | both empty, in the same bank                | P + the identity       | S is written                                         |
  *
  * One candidate alone is treated in the same way. T is written if its bucket is empty and nothing else is written.
  *
  * The adder refuses pairs while its slots are taken; then nothing moves if it otherwise accepts a pair in each cycle. Since sums have space for all pairs inside, the slots become free again. With
  * no more space for sums, P and T do not enter the adder, but sums do, whose space becomes free at the same time. An adder over Fp2 accepts a pair every
  * third cycle; in the others, what needs no pair is written, and no point enters with the identity.
  *
  * A decision takes effect one cycle later (`now`), when points follow their buckets' numbers. The operands are read from the buckets, selected and
  * registered, and enter the adder `timing.memory` + 2 cycles after the decision.
  *
  * @param capacity most pairs inside the adder, and sums that wait
  * @param asides most sums that are set aside
  * @param interval least cycles from a pair to the next one
  */
class BatchBucketAdder(
    width: Int,
    bucketBits: Int,
    capacity: Int,
    makeAdder: () => PairAdder,
    asides: Int = 64,
    interval: Int = 1,
    timing: Timing = Timing()
) extends Component {
  private def point = Bits(width bits)
  val io = new Bundle {

    /** Points for buckets. None is accepted while a command waits or is executed. `ready` does not depend on `valid`. */
    val items = slave(Stream(Item(width, bucketBits)))

    /** Accepted when no point is in the pipeline. */
    val commands = slave(Stream(CoreCommand(bucketBits)))

    /** The operand of Gather; steady while it is executed. */
    val externalSum = in(point)

    /** Level: a command is executed, a point is in the pipeline, or the buckets are cleared after reset. */
    val busy = out(Bool())

    /** The accumulator; steady while not busy. */
    val acc = out(point)

    /** Pulse: a pair of operands is issued to the adder. */
    val issued = out(Bool())
  }
  val adder = makeAdder()
  val buckets = new Buckets(width, bucketBits, timing)
  val flags = new CandidateFlags(bucketBits, others = 2)
  val reducer = new BucketReducer(bucketBits)
  private val reducing = Copies.one(reducer.io.busy, init = false)

  // 1. Sums, with space for all pairs inside; points follow their destinations.
  private val destinations = StreamFifo(Destination(bucketBits), capacity)
  private val points = StreamFifo(point, capacity)
  destinations.io.push.valid := adder.io.sums.valid
  destinations.io.push.payload.assignFromBits(adder.io.sums.tag)
  points.io.push.valid := adder.io.sums.valid
  points.io.push.payload := adder.io.sums.sum
  private val sumPoint = points.io.pop.m2sPipe()

  // Sums set aside.
  private val aside = StreamFifo(UInt(bucketBits bits), asides)
  private val asidePoints = new StreamFifo(point, asides, withAsyncRead = true)
  private val setAside = Reg(UInt(log2Up(asides + 1) bits)) init 0
  private val hasSpace = RegNext(setAside < asides - 2) init False

  // 2. Candidates: P, which may be a request of the reducer, S and T.
  private val accepting = !reducer.io.busy && !io.commands.valid && !flags.io.clearing
  private val next = AdderRequest(bucketBits)
  private val reduction = reducer.io.request.m2sPipe()
  next := reduction.payload
  when(!reduction.valid) {
    next.kind := AdderRequestKind.Item
    next.a := io.items.bucket
    next.b := io.items.bucket
  }
  private val Seq(advanceP, advanceS, advanceT) = Seq.fill(3)(Bool())
  private val inside = Reg(UInt(log2Up(capacity + 1) bits)) init 0
  private val enters = adder.io.ready
  private val spare = RegNext(inside < capacity - 4) init False // two decisions are not counted yet

  /** A waiting and a deciding candidate, each with a valid bit and a payload. */
  private case class Candidates[T <: Data](next: Stream[T], advance: Bool) {
    private val taken = Bool()
    val (waits, waiting) = (RegNextWhen(next.valid, taken) init False, RegNextWhen(next.payload, taken))
    val (valid, now) = (RegNextWhen(waits, advance) init False, RegNextWhen(waiting, advance))
    val take = !waits || advance
    taken := take
    next.ready := take
  }
  private val inputs = Stream(AdderRequest(bucketBits))
  inputs.valid := reduction.valid || io.items.valid && accepting
  inputs.payload := next
  io.items.ready := inputs.ready && accepting
  private val p = Candidates(inputs, advanceP)
  private val s = Candidates(destinations.io.pop, advanceS)
  private val t = Candidates(aside.io.pop, advanceT)
  private val (valid, request) = (p.valid, p.now)
  reduction.ready := !p.waits || !valid || enters && spare // while the reducer is busy, there are no items
  private val places = RegNextWhen(Vec(p.waiting.places), advanceP)
  private val bankP = RegNextWhen(Bucket.bank(p.waiting.a), advanceP)
  private val (validS, sum) = (s.valid, s.now)
  private val bankS = RegNextWhen(Bucket.bank(s.waiting.bucket), advanceS)
  private val (validT, bucketT) = (t.valid, t.now)
  private val bankT = RegNextWhen(Bucket.bank(t.waiting), advanceT)

  /** A comparison of P and S, registered with them. */
  private def compared(equal: (UInt, UInt) => Bool): Bool = {
    val Seq(waiting, now) =
      Seq(s.waiting, s.now).map(s => advanceP ? equal(p.waiting.a, s.bucket) | equal(p.now.a, s.bucket))
    RegNext(advanceS ? waiting | now)
  }
  private val same = compared(_ === _)
  private val sameBank = compared(Bucket.bank(_) === Bucket.bank(_))
  flags.io.places := Vec(next.places)
  flags.io.buckets := Vec(destinations.io.pop.bucket, aside.io.pop.payload)
  flags.io.take := Vec(p.take, s.take, t.take)
  flags.io.advance := Vec(advanceP, advanceS, advanceT)
  flags.io.clear := reducer.io.clear
  private val full = flags.io.full
  private val (fullP, fullS, fullT) = (full(bankP.asUInt), flags.io.isFull(0), flags.io.isFull(1))

  // 3. The decision. While the adder accepts pairs, S is always taken. With an adder that accepts a pair in each cycle nothing is written while it does
  // not, which makes the decision shorter.
  private val mayWrite = if (interval == 1) enters else True
  private val (isItem, isPair, isCollect) =
    (valid && request.isItem, valid && request.isPair, valid && request.kind === AdderRequestKind.Collect)
  private val isSum = validS && !reducing
  private val both = isItem && isSum
  private val joins = enters && both && same // S + P
  private val apart = enters && !(both && same)
  private val movesS = apart && both && fullP && fullS && spare && hasSpace
  private val pairsS = apart && isSum && fullS && !(isItem && fullP && spare && hasSpace)
  private val writesS = mayWrite && isSum && !fullS && !joins || validS && reducing && !sum.isAcc
  private val takesS = validS && (enters || reducing || (if (interval == 1) False else !fullS))
  private val pairsP = apart && isItem && fullP && spare && !(isSum && fullS && !hasSpace)
  private val collides = isSum && !fullS && sameBank // P cannot be written beside S
  private val writesP =
    mayWrite && isItem && !fullP && !collides // not where S + P enters: then S collides, or P's bucket is full
  private val entersAlone = if (interval == 1) apart && isItem && !fullP && collides && spare else False
  private val requests = enters && spare && valid && !request.isItem
  private val takesP = joins || pairsP || writesP || entersAlone || requests
  private val pairsT = enters && spare && validT && fullT &&
    !(isSum && fullS) && !(isItem && fullP) && !(both && sameBank)
  private val writesT = mayWrite && validT && !fullT && (joins || !(isSum && !fullS) && !(isItem && !fullP))
  private val takesT = pairsT || writesT
  advanceP := !valid || takesP
  advanceS := !validS || takesS
  advanceT := !validT || takesT

  private val togglesP = pairsP || writesP || requests && (isPair && !fullP || isCollect && fullP)
  private val togglesB = requests && request.kind === AdderRequestKind.Take && full((!bankP).asUInt)
  flags.io.toggle := Vec(bankP ? togglesB | togglesP, bankP ? togglesP | togglesB)
  flags.io.toggles := Vec(pairsS || writesS && !reducing, takesT)

  private val issues = joins || pairsS || pairsP || entersAlone || pairsT || requests
  private val usesS = pairsS
  private val destination = Destination(bucketBits)
  destination.bucket := usesS ? sum.bucket | (pairsT ? bucketT | request.a)
  destination.isAcc := requests && request.isForAcc
  io.issued := issues
  inside := inside + issues.asUInt - takesS.asUInt
  setAside := setAside + movesS.asUInt - takesT.asUInt
  aside.io.push.valid := movesS
  aside.io.push.payload := sum.bucket

  reducer.io.settled := inside === 0 && !reduction.valid && !p.waits && !valid && setAside === 0 && !flags.io.clearing
  reducer.io.clearing := flags.io.clearing
  reducer.io.command << io.commands
  io.busy := reducer.io.busy || !reducer.io.settled

  // 4. One cycle later: points, writes, and the addresses of reads.
  private def now(bit: Bool): Bool = RegNext(bit) init False
  sumPoint.ready := now(takesS)
  asidePoints.io.push.valid := now(movesS)
  asidePoints.io.push.payload := sumPoint.payload
  asidePoints.io.pop.ready := now(takesT)
  private val pointS = sumPoint.payload
  private val pointT = asidePoints.io.pop.payload
  private val waitingP = RegNextWhen(RegNext(io.items.point), RegNext(p.take))
  private val pointP = RegNextWhen(waitingP, RegNext(advanceP))
  for (bank <- 0 until 2) {
    def inBank(writes: Bool, in: Bool) = writes && in === Bool(bank == 1)
    val (ofP, ofT) = (inBank(writesP, bankP), inBank(writesT, bankT))
    buckets.io.write(bank) := now(inBank(writesS, bankS) || ofP || ofT)
    buckets.io.place(bank) := RegNext(Bucket.place(ofP ? request.a | (ofT ? bucketT | sum.bucket)))
    buckets.io.point(bank) := RegNext(ofP) ? pointP | (RegNext(ofT) ? pointT | pointS)
    buckets.io.read(bank) := RegNext(usesS ? Bucket.place(sum.bucket) | (pairsT ? Bucket.place(bucketT) | places(bank)))
  }
  private val acc = RegNextWhen(pointS, now(takesS && sum.isAcc))
  io.acc := acc

  // 5. Operands: in the pair, bank 0 is on the left. One that is not from memory is beside it, or is the identity.
  private val begins = request.kind === AdderRequestKind.Begin
  private def fromMemory(bank: Int): Bool = {
    def inBank(pairs: Bool, in: Bool) = pairs && in === Bool(bank == 1)
    inBank(pairsS, bankS) || inBank(pairsP, bankP) || inBank(pairsT, bankT) || isPair || isCollect && bankP === Bool(
      bank == 1
    )
  }
  private def isIdentity(bank: Int): Bool =
    isPair && !full(bank) || valid && begins || isCollect && bankP === Bool(bank == 1) && !fullP ||
      (if (bank == 1) entersAlone else False)
  private val gathers = RegNext(request.kind === AdderRequestKind.Gather)
  private val outside = RegNext(reducing)
  private val loose = RegNext(pairsS || joins) ? pointS | (RegNext(pairsT) ? pointT | (outside ? acc | pointP))
  private val beside = Seq(
    loose,
    now(joins) ? pointP | ((outside && gathers) ? io.externalSum | loose)
  )
  private def operand(bank: Int): Bits = {
    val found = Delay(fromMemory(bank), timing.memory + 1) ? buckets.io.found(bank) | Delay(beside(bank), timing.memory)
    RegNext(found | Delay(isIdentity(bank), timing.memory + 1).asBits.resized)
  }
  adder.io.pairs.valid := Delay(issues, timing.memory + 2, init = False)
  adder.io.pairs.tag := Delay(destination.asBits, timing.memory + 2)
  adder.io.pairs.left := operand(0)
  adder.io.pairs.right := operand(1)
}

/** The destination of a sum: a bucket, or the accumulator. */
case class Destination(bucketBits: Int) extends Bundle {
  val bucket = UInt(bucketBits bits)
  val isAcc = Bool()
}

object BatchBucketAdder {

  /** A core of affine points whose adder has 2^slotBits slots. */
  def apply(law: AffineLaw, bucketBits: Int, slotBits: Int, timing: Timing): BatchBucketAdder = {
    // A pair enters memory + 2 cycles after its decision.
    def adder() = new BatchAdder(law, bucketBits + 1, slotBits, late = timing.memory + 6, timing)
    new BatchBucketAdder(
      AffinePoint(law).getBitsWidth,
      bucketBits,
      1 << slotBits,
      () => adder(),
      interval = law.arithmetic.interval,
      timing = timing
    )
  }
}
