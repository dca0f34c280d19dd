package proofmill.engine.msm

import spinal.core._
import spinal.lib._

class Core(points: Points, bucketBits: Int) extends Component {
  val io = new Bundle {

    /** Points for buckets; none is taken while an order is carried out. */
    val items = slave(Stream(Item(points, bucketBits)))

    /** Taken when no item is inside. */
    val orders = slave(Stream(Order(bucketBits)))

    /** What Gather adds; steady meanwhile. */
    val other = in(Bits(points.width bits))

    /** An order is being carried out, or an item is inside. */
    val busy = out(Bool())

    /** The accumulator; steady when not busy. */
    val acc = out(Bits(points.width bits))

    /** A pair enters the adder. */
    val issued = out(Bool())
  }
  io.items.ready := True
  io.orders.ready := True
  io.busy := RegNext(io.items.valid || io.orders.valid) init False
  io.acc := RegNext(io.items.point | io.other)
  io.issued := False
}

object Core {

  /** Cycles from a pair that enters to its sum in a bucket. */
  def latency(points: Points): Int = points.latency + 4
}
