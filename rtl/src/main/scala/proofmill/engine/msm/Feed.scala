package proofmill.engine.msm

import proofmill.engine.Granule
import spinal.core._
import spinal.lib._

/** Brings every point, with its digits' signs, to the buckets of all adders.
  *
  * {{{
  *   scalars ─► Digits ─┐ a group a cycle      ┌─► fromMemory ─► queue ─► items of adder 0
  *                      ├── join, if all have room ┼─► …
  *   points ────────────┘ one for `group` groups    └─► fromMemory ─► queue ─► items of adder S - 1
  * }}}
  * A group that is 0 for an adder takes nothing of its time beyond that cycle, and the queues let adders be some items apart. Groups are joined
  * while `open` is high and something of the pass is left; a pass begins when `open` rises. Digits and points of the next pass may wait
  * inside meanwhile.
  *
  * `fault` says that memory has a point that was never stored ([[Points.isBeyond]]).
  *
  * Reset starts anew; `windowBits` and `count` are steady from then on.
  */
class Feed(points: Points, cutting: Cutting, countBits: Int) extends Component {
  import cutting.{adders, bucketBits}
  val io = new Bundle {
    val windowBits = in(UInt(5 bits))
    val count = in(UInt(countBits bits))
    val points = Vec.fill(Feed.this.points.slices)(slave(Stream(Bits(Points.sliceBits bits))))
    val scalars = slave(Stream(Bits(8 * Granule.beat bits)))
    val open = in(Bool())
    val items = Vec.fill(adders)(master(Stream(Item(Feed.this.points, bucketBits))))
    val empty = out(Bool()) // every item of a joined group has been taken
    val done = out(Bool()) // and all groups of this pass have been joined
    val fault = out(RegInit(False))
  }

  val digits = new Digits(cutting, countBits)
  digits.io.windowBits := io.windowBits
  digits.io.count := io.count
  digits.io.scalars << io.scalars

  val left = Reg(UInt(countBits bits)) // points of this pass
  val some = Reg(Bool()) // left =/= 0
  val room = Bool()
  private val ready = io.points.map(_.valid).andR && io.open && some && room
  private val group = digits.io.groups.haltWhen(!ready)
  group.ready := True
  for (slice <- io.points) slice.ready := group.fire && group.last
  when(group.fire && group.last) {
    left := left - 1
    some := left =/= 1
  }
  when(!io.open) {
    left := io.count
    some := io.count =/= 0
  }

  private val beyond = points.isBeyond(io.points.map(slice => RegNext(slice.payload)).toSeq)
  private val looked = Delay(group.fire && group.last, 1 + beyond.cycle, init = False)
  when(looked && beyond.value)(io.fault := True)

  val lanes =
    for (s <- 0 until adders) yield new Area {
      val digit = RegNext(group.digits(s))
      val some = RegNext(group.fire && group.digits(s).some) init False
      val made = points.fromMemory(io.points.map(slice => RegNext(slice.payload)).toSeq, digit.negative)
      val latency = made.cycle
      val valids = (1 to latency).scanLeft(some)((valid, _) => RegNext(valid) init False)
      val depth = 1 << log2Up(2 * latency + 8)
      val queue = new StreamFifo(Item(points, bucketBits), depth, withAsyncRead = true, withBypass = false)
      queue.io.push.valid := valids.last
      queue.io.push.bucket := Delay(digit.bucket, latency)
      queue.io.push.point := made.value
      io.items(s) << queue.io.pop

      /** What is on its way, `latency` + 1 items at most, has room as well as one more. */
      val room = RegNext(queue.io.occupancy < depth - (latency + 4)) init False
      val empty = !valids.orR && queue.io.occupancy === 0
    }
  room := lanes.map(_.room).andR
  io.empty := !group.fire && lanes.map(_.empty).andR
  io.done := !some && io.empty
}
