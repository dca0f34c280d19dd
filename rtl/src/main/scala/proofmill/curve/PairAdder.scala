package proofmill.curve

import spinal.core._
import spinal.lib._

/** A circuit that adds pairs of points, whose sums may leave in any order and after any time. A point has `width` bits; the
  * lowest one marks the identity, whose other bits are ignored.
  */
abstract class PairAdder(width: Int, tagBits: Int) extends Component {
  val io = new Bundle {
    val pairs = slave(Flow(TaggedPair(width, tagBits))) // pairs to add; some more may come after `ready` falls
    val ready = out(Bool()) // level: there is space for more pairs
    val sums = master(Flow(TaggedSum(width, tagBits))) // the sum of each pair once, with its tag
  }
}

/** Two points to be added, with a tag. */
case class TaggedPair(width: Int, tagBits: Int) extends Bundle {
  val tag = Bits(tagBits bits)
  val left, right = Bits(width bits)
}

/** A sum with the tag of its pair. */
case class TaggedSum(width: Int, tagBits: Int) extends Bundle {
  val tag = Bits(tagBits bits)
  val sum = Bits(width bits)
}
