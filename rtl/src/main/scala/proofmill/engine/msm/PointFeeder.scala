package proofmill.engine.msm

import proofmill.engine.Granule
import spinal.core._
import spinal.lib._

/** Sends every point, with the sign of its digit, to the buckets of each adder.
  *
  * {{{
  *   scalars ─► DigitRecoder ─┐ a group each cycle      ┌─► fromMemory ─► queue ─► items of adder 0
  *                            ├─ join, if all have space ┼─► …
  *   points ──────────────────┘ one for `group` groups  └─► fromMemory ─► queue ─► items of adder S - 1
  * }}}
  * A group that is 0 for an adder takes only that cycle, and the queues decouple the adders by some items. Groups are joined
  * while `passOpen` is high and the pass has points left; a pass begins when `passOpen` rises. DigitRecoder and the points of
  * the next pass can be in the unit before that.
  *
  * `fault` reports that the memory has a point that was never stored ([[Points.isBeyond]]).
  *
  * After a reset, `windowBits` and `count` are steady.
  */
class PointFeeder(points: Points, plan: WindowPlan, countBits: Int) extends Component {
  import plan.{adders, bucketBits}
  val io = new Bundle {

    /** Bits of a window; steady. */
    val windowBits = in(UInt(5 bits))
    val count = in(UInt(countBits bits)) // points of a pass; steady

    /** The slices of points, a stream from each channel. */
    val points = Vec.fill(PointFeeder.this.points.channels)(slave(Stream(Bits(Points.sliceBits bits))))
    val scalars = slave(Stream(Bits(8 * Granule.beat bits))) // beats of two scalars, the first one lowest

    /** Level: a pass is open. */
    val passOpen = in(Bool())

    /** Per adder the points for its buckets. */
    val items = Vec.fill(adders)(master(Stream(Item(PointFeeder.this.points.width, bucketBits))))

    /** Level: every item of a joined group was accepted. */
    val empty = out(Bool())
    val done = out(Bool()) // level: all groups of this pass were joined, and `empty`

    /** Level: the memory contains a point that is never stored ([[Points.isBeyond]]). */
    val fault = out(RegInit(False))
  }

  val digits = new DigitRecoder(plan, countBits)
  digits.io.windowBits := io.windowBits
  digits.io.count := io.count
  digits.io.scalars << io.scalars

  // The slices of a point in each channel, which come one after the other.
  private val slices = io.points.map { channel =>
    val whole = Stream(Vec.fill(points.components)(Bits(Points.sliceBits bits)))
    StreamWidthAdapter(channel, whole)
    whole
  }
  private val slicesNow = // all slices of a point, one cycle later
    (0 until points.components).flatMap(i => slices.map(channel => RegNext(channel.payload(i))))

  val left = Reg(UInt(countBits bits)) // points of this pass
  val pointsLeft = Reg(Bool()) // left =/= 0
  val room = Bool()
  private val ready = slices.map(_.valid).andR && io.passOpen && pointsLeft && room
  private val group = digits.io.groups.haltWhen(!ready)
  group.ready := True
  for (channel <- slices) channel.ready := group.fire && group.last
  when(group.fire && group.last) {
    left := left - 1
    pointsLeft := left =/= 1
  }
  when(!io.passOpen) {
    left := io.count
    pointsLeft := io.count =/= 0
  }

  private val beyond = points.isBeyond(slicesNow)
  private val looked = Delay(group.fire && group.last, 1 + beyond.cycle, init = False)
  when(looked && beyond.value)(io.fault := True)

  val lanes =
    for (s <- 0 until adders) yield new Area {
      val digit = RegNext(group.digits(s))
      val some = RegNext(group.fire && group.digits(s).nonZero) init False
      val made = points.fromMemory(slicesNow, digit.negative)
      val latency = made.cycle
      val valids = (1 to latency).scanLeft(some)((valid, _) => RegNext(valid) init False)
      val depth = 1 << log2Up(2 * latency + 8)
      val queue = new StreamFifo(Item(points.width, bucketBits), depth, withAsyncRead = true, withBypass = false)
      queue.io.push.valid := valids.last
      queue.io.push.bucket := Delay(digit.bucket, latency)
      queue.io.push.point := made.value
      io.items(s) << queue.io.pop

      /** The queue has space for the items in the pipeline, at most `latency` + 1, and one more. */
      val room = RegNext(queue.io.occupancy < depth - (latency + 4)) init False
      val empty = !valids.orR && queue.io.occupancy === 0
    }
  room := lanes.map(_.room).andR
  io.empty := !group.fire && lanes.map(_.empty).andR
  io.done := !pointsLeft && io.empty
}
