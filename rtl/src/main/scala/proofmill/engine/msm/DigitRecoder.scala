package proofmill.engine.msm

import proofmill.engine.Granule
import spinal.core._
import spinal.lib._

/** A digit d for an adder. Its bucket is number |d| - 1 of its window. */
case class Digit(bucketBits: Int) extends Bundle {
  val bucket = UInt(bucketBits bits)
  val negative = Bool()
  val nonZero = Bool()
}

/** A group of digits, one for each adder; `last` of its scalar. */
case class DigitGroup(adders: Int, bucketBits: Int) extends Bundle {
  val digits = Vec.fill(adders)(Digit(bucketBits))
  val last = Bool()
}

/** Recodes scalars into signed digits, in the order in which the adders use them.
  *
  * A pass has `count` scalars, two in a beat, beginning with a new beat. Each scalar takes `group` cycles, each with a digit for every adder, as in
  * [[WindowPlan]]. Passes follow each other without a gap.
  *
  *   1. Low, High: k + K in two halves.
  *   2. Windows: `group` cycles; each adder selects the 32 bits in which its window begins.
  *   3. Field: its c bits.
  *   4. Digit: d = field - 2^(c-1); t is the highest bit. If t is set, |d| - 1 is the other bits less 1, and d = 0 if they are 0; otherwise d is
  *      negative and |d| - 1 is the complement of the other bits.
  *   5. A queue of groups. A scalar is recoded when the queue has space for its digits, so stages 2 to 4 never stall.
  *
  * After a reset `windowBits` and `count` are steady.
  */
class DigitRecoder(plan: WindowPlan, countBits: Int) extends Component {
  import plan.{adders, bucketBits, most}
  private val sumBits = plan.largest(plan.bits) + 1
  private val lowBits = sumBits / 2
  val io = new Bundle {
    val windowBits = in(UInt(5 bits)) // steady
    val count = in(UInt(countBits bits)) // scalars of a pass; steady
    val scalars = slave(Stream(Bits(8 * Granule.beat bits))) // two scalars a beat, first one lowest; an odd one alone
    val groups = master(Stream(DigitGroup(adders, bucketBits))) // a digit for each adder, in the order of the scalars
  }
  private def fact(of: Int => BigInt) = RegNext(plan.table(io.windowBits, of))
  private val offset = fact(plan.offset).resize(sumBits)
  private val lastOfGroup = fact(plan.group(_) - 1)
  private val bits = fact(plan.bits(_))
  private val stride = fact(plan.stride(_))
  private val starts = (0 until adders).map(s => fact(plan.start(_, s)))
  private val settled = Delay(True, 3, init = False)
  private val half = fact(c => BigInt(1) << (c - 1)) // of a window's range
  private val below = RegNext(half - 1).resize(most - 1).asBits // mask of the bits below a field's highest

  /** A scalar, or a part of its sum with K. */
  case class Numbered() extends Bundle {
    val low = UInt(lowBits + 1 bits)
    val high = UInt(sumBits - lowBits bits)
    val ends = Bool() // the last one of a pass
  }

  /** Splits beats into scalars. */
  val halves = new Area {
    private val bits = 8 * MsmConfig.scalar
    val left = Reg(UInt(countBits bits)) // of this pass
    val ends = Reg(Bool()) // left === 1
    val second = RegInit(False)
    val out = Stream(Numbered())
    val k = (second ? io.scalars.payload(bits, bits bits) | io.scalars.payload.takeLow(bits)).asUInt.resize(sumBits)
    out.valid := io.scalars.valid && settled
    out.low := k.take(lowBits).asUInt.resized
    out.high := k.drop(lowBits).asUInt
    out.ends := ends
    io.scalars.ready := out.ready && settled && (second || out.ends)
    when(!settled) {
      left := io.count
      ends := io.count === 1
    }
    when(out.fire) {
      left := ends ? io.count | left - 1
      ends := ends ? (io.count === 1) | (left === 2)
      second := !second && !out.ends
    }
  }

  private def numbered(low: UInt, high: UInt, ends: Bool): Numbered = {
    val made = Numbered()
    made.low := low
    made.high := high
    made.ends := ends
    made
  }
  private val Seq(lowOffset, highOffset) = Seq(offset.take(lowBits), offset.drop(lowBits)).map(_.asUInt)
  val low = halves.out.s2mPipe().map(x => numbered(x.low + lowOffset, x.high, x.ends)).m2sPipe()
  val high = low.map(x => numbered(x.low, x.high + highOffset + x.low.msb.asUInt, x.ends)).m2sPipe()

  /** The bits in which the windows begin. */
  case class Coarse() extends Bundle {
    val words = Vec.fill(adders)(Bits(32 bits)) // from a multiple of 16 on
    val shift = Vec.fill(adders)(UInt(4 bits))
    val exists = Vec.fill(adders)(Bool()) // the scalar has this window
    val base = UInt(bucketBits bits) // the window's lowest bucket
    val last = Bool()
  }

  val windows = new Area {
    private val atBits = log2Up(plan.largest(c => plan.start(c, adders - 1) + plan.stride(c)) + 1)
    val i = Reg(UInt(lastOfGroup.getWidth bits)) init 0
    val base = Reg(UInt(bucketBits bits)) init 0
    val pass = starts.map(start => Reg(UInt(atBits bits))) // lowest bit of the adder's windows in this pass
    val at = starts.map(start => Reg(UInt(atBits bits))) // and of its present window

    val out = Stream(Coarse())
    private val sum = (high.high @@ high.low.take(lowBits).asUInt).asBits
    private val words = sum.resize((sumBits + 15) / 16 * 16 + 16).subdivideIn(16 bits)
    private val pairs = Vec(words.zip(words.tail).map { case (a, b) => b ## a })
    out.valid := high.valid
    out.last := i === lastOfGroup
    out.base := base
    for (s <- 0 until adders) {
      out.words(s) := pairs((at(s) >> 4).resize(log2Up(pairs.size)))
      out.shift(s) := at(s).resized
      out.exists(s) := at(s) < bits
    }
    high.ready := out.ready && out.last
    when(out.fire) {
      i := out.last ? U(0) | i + 1
      base := out.last ? U(0) | (base + half.resize(bucketBits))
      for ((at, pass) <- at.zip(pass)) {
        val next = high.ends ? (pass - stride.resize(atBits)) | pass
        at := out.last ? next | (at + io.windowBits.resize(atBits))
        when(out.last)(pass := next)
      }
    }
    for (((at, pass), start) <- at.zip(pass).zip(starts)) when(!settled) {
      at := start.resize(atBits)
      pass := start.resize(atBits)
    }
  }

  /** The bits of windows; the highest one separately. */
  case class Fields() extends Bundle {
    val low = Vec.fill(adders)(Bits(most - 1 bits))
    val top = Vec.fill(adders)(Bool())
    val exists = Vec.fill(adders)(Bool())
    val base = UInt(bucketBits bits)
    val last = Bool()
  }
  val fields = windows.out.toFlowFire.m2sPipe().map { x =>
    val made = Fields()
    for (s <- 0 until adders) {
      val field = (x.words(s) |>> x.shift(s)).resize(most)
      made.low(s) := field.take(most - 1) & below
      made.top(s) := (field & half.asBits.resize(most)).orR
    }
    made.assignSomeByName(x)
    made
  }.m2sPipe()

  val groups = fields.map { x =>
    val made = DigitGroup(adders, bucketBits)
    for (s <- 0 until adders) {
      val digit = made.digits(s)
      digit.nonZero := x.exists(s) && !(x.top(s) && !x.low(s).orR)
      digit.negative := !x.top(s)
      val magnitude = x.top(s) ? (x.low(s).asUInt - 1) | (~x.low(s) & below).asUInt
      digit.bucket := x.base | magnitude.resize(bucketBits)
    }
    made.last := x.last
    made
  }.m2sPipe()

  private val depth = 16
  private val inPipeline = 6 // groups in stages 2 to 4, and the latency of the comparison
  val queue = new StreamFifo(DigitGroup(adders, bucketBits), depth, withAsyncRead = true, withBypass = false)
  queue.io.push.valid := groups.valid
  queue.io.push.payload := groups.payload
  windows.out.ready := RegNext(queue.io.occupancy < depth - inPipeline) init False
  io.groups << queue.io.pop.m2sPipe()
}
