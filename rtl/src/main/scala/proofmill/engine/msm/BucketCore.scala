package proofmill.engine.msm

import spinal.core._
import spinal.lib._

/** Accumulates points into buckets, and reduces the buckets to their weighted sum. A point has `width` bits. */
abstract class BucketCore(width: Int, bucketBits: Int) extends Component {
  val io = new Bundle {

    /** Points for buckets. None is accepted while a command waits or is executed. `ready` does not depend on `valid`. */
    val items = slave(Stream(Item(width, bucketBits)))

    /** Accepted when no point is in the pipeline. */
    val commands = slave(Stream(CoreCommand(bucketBits)))

    /** The operand of Gather; steady while it is executed. */
    val externalSum = in(Bits(width bits))

    /** Level: a command is executed, a point is in the pipeline, or the buckets are cleared after reset. */
    val busy = out(Bool())

    /** The accumulator; steady while not busy. */
    val acc = out(Bits(width bits))

    /** Pulse: a pair of operands is issued to the adder. */
    val issued = out(Bool())
  }
}
