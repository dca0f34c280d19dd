package proofmill.engine.ntt

import spinal.core._
import spinal.lib._

/** Transforms blocks of 64 residues, each as blocks of 2^b points, by shifts and additions. It accepts and returns one beat
  * each cycle.
  *
  * 64 = 8 * 8: a transform of up to 8 points in the lanes, a multiplication by powers of 2^39, an exchange of time bits with
  * lane bits, and another transform of up to 8 points. [[Arrangement.core]] defines the order of the results. A block's beats
  * arrive in consecutive cycles. An inverse transform uses its points in the order 0, n - 1, n - 2, …, and the inverse
  * powers.
  *
  * @param fixed whether `b` is always 6
  */
class ShiftTransform(laneBits: Int, residueBits: Int, fixed: Boolean) extends Component {
  private val lanes = 1 << laneBits
  private val q = NttConfig.radixBits - laneBits
  val io = new Bundle {
    val b = in(UInt(3 bits)) // steady
    val inverse = in(Bool()) // steady
    val valid = in(Bool()) // the beat is valid
    val position = in(UInt(q max 1 bits)) // number of the beat in its block
    val residues = in(Vec(SInt(residueBits bits), lanes)) // elements of the beat
    val results = out(Vec(Quad(Quad.digitBits), lanes)) // results, `latency` cycles later
  }
  private val b = if (fixed) U(6, 3 bits) else io.b
  private val upper = RegNext((b > 3) ? (b - 3) | U(0))
  private val lower = RegNext((b > 3) ? U(3) | b)

  private val first = ShiftTransform.small(io.residues.map(Quad.of).toSeq, bit => bit + 3 - q, upper, io.inverse)
  private val before1 = Delay(io.position, ShiftTransform.smallLatency - 1)
  private val position1 = RegNext(before1)
  private val valid1 = Delay(io.valid, ShiftTransform.smallLatency, init = False)

  // Lane bit j is bit q + j of the block; bits 3 to 5 are the results of the first transform, in reversed order.
  private val turned = first.zipWithIndex.map { case (x, lane) =>
    def power(b: Int, time: Int): Int = {
      val y = lane << q | time
      val upper = b - 3
      val low = y & 7
      val result = (0 until upper).map(i => (y >> (3 + upper - 1 - i) & 1) << i).sum
      (result * low << (6 - b)) % 64
    }
    def chosen(b: Int): UInt = {
      val times = (0 until 1 << q).map(time => U(power(b, time), 6 bits))
      if (q == 0) times.head else Vec(times)(before1)
    }
    val plain = UInt(6 bits)
    plain := (if (fixed) chosen(6) else U(0))
    if (!fixed) for (size <- 4 to 6) when(b === size)(plain := chosen(size))
    val signed = RegNext(io.inverse ? (U(0, 6 bits) - plain) | plain)
    Quad.rotated(x, signed)
  }
  private val position2 = Delay(position1, Quad.rotation)
  private val valid2 = Delay(valid1, Quad.rotation, init = False)

  // Exchanges bit t of the time with bit l - q + t of the lane.
  private val (swapped, _, _) = (0 until q).foldLeft((turned: Seq[Quad], position2, valid2)) {
    case ((now, position, valid), t) =>
      val (j, wait) = (laneBits - q + t, 1 << t)
      val crossed = valid && position(t)
      val next = now.indices.map { lane =>
        val (low, high) = (lane & ~(1 << j), lane | (1 << j))
        def late(x: Quad) = Delay(x, wait)
        if (lane == low) late(Mux(crossed, late(now(high)), now(low)))
        else Mux(crossed, now(low), late(now(high)))
      }
      (next, Delay(position, wait), Delay(valid, wait, init = False))
  }
  private val second = ShiftTransform.small(
    swapped,
    bit => if (bit < q) laneBits - q + bit else bit - q,
    lower,
    io.inverse
  )
  io.results := Vec(second.map(_.resized(Quad.digitBits)))
}

object ShiftTransform {

  /** Latencies of a transform in the lanes, and of a core. */
  val smallLatency = 4
  def latency(laneBits: Int): Int =
    2 * smallLatency + Quad.rotation + (1 << (NttConfig.radixBits - laneBits)) - 1

  /** Transforms of 2^size points, 0 to 3, in the lanes. Bit i of a point's number is lane bit `place(i)`; results are in
    * bit-reversed order.
    */
  def small(points: Seq[Quad], place: Int => Int, size: UInt, inverse: Bool): Seq[Quad] = {
    val lanes = points.indices
    def number(lane: Int) = (0 until 3).map(i => (lane >> place(i) & 1) << i).sum
    def withNumber(lane: Int, number: Int) =
      (0 until 3).foldLeft(lane)((l, i) => l & ~(1 << place(i)) | (number >> i & 1) << place(i))

    // The order of the points of an inverse transform.
    val back = lanes.map { lane =>
      val n = number(lane)
      def negated(points: Int) = withNumber(lane, n & ~(points - 1) | (-n & (points - 1)))
      val chosen = cloneOf(points(lane))
      chosen := points(lane)
      when(inverse && size === 2)(chosen := points(negated(4)))
      when(inverse && size === 3)(chosen := points(negated(8)))
      RegNext(chosen)
    }
    (2 to 0 by -1).foldLeft(back) { (now, i) =>
      val width = now.head.width + 1
      val active = size > i
      lanes.map { lane =>
        val (low, high) = (withNumber(lane, number(lane) & ~(1 << i)), withNumber(lane, number(lane) | (1 << i)))
        val (x, y) = (now(low), now(high))
        val turns = 5 * ((number(low) & ((1 << i) - 1)) << (2 - i)) % 8
        val digits = (0 until Quad.count).map { e =>
          if (lane == low) {
            val sum = x.digits(e) +^ y.digits(e)
            Mux(active, sum, x.digits(e).resize(width))
          } else {
            val (from, negative) = Quad.source(e, turns)
            val (a, b) = (x.digits(from), y.digits(from))
            Mux(active, if (negative) b -^ a else a -^ b, y.digits(e).resize(width))
          }
        }
        Quad(digits.map(d => RegNext(d)))
      }
    }
  }
}
