package proofmill.engine.ntt

import proofmill.arith.Lag
import spinal.core._
import spinal.lib._

object FactorKind extends SpinalEnum {

  /** One: 1. Power: scale shift^i of element i. Root: root(log)^(high low), of the place in a matrix of which `low` is the lowest index, and
    * lanes its lowest bits. Alike: the same with 0 for these, so that all lanes have one factor.
    */
  val One, Power, Root, Alike = newElement()
}

/** Where a beat belongs. */
case class Place(config: NttConfig) extends Bundle {
  val beat = UInt(config.beatBits bits) // of its transform
  val high = UInt((if (config.hasThree) config.restBits max NttConfig.passBits else NttConfig.passBits) bits)
  val low = UInt(config.lowBits bits) // without the lane
}

/** Multiplies each element by the factor of its place; a beat in and a beat out a cycle.
  *
  * A factor is the product of two that come from tables. A root's power has three parts: two choose from tables of the root's powers, the highest
  * `turnBits` bits are a turn.
  */
class Factors(config: NttConfig, residues: Residues) extends Component {
  import config.{laneBits, lanes, mostLog}
  private val bits = residues.bits
  val io = new Bundle {
    val kind = in(FactorKind()) // steady
    val inverse = in(Bool()) // steady
    val log = in(UInt(5 bits)) // steady
    val input = slave(Flow(Beat(bits, lanes)))
    val place = in(Place(config))
    val output = master(Flow(Beat(bits, lanes)))

    /** Instead: by the beat that came with `holds`, two cycles before at least. */
    val pairs = in(Bool()) // steady
    val holds = in(Bool())

    /** To and from [[Powers]]. */
    val beat = out(UInt(config.beatBits bits))
    val factor = in(SInt(bits bits))
    val lane = in(Vec(SInt(bits bits), lanes))
  }
  private val place = RegNext(io.place) // the way from a pass to a place is long enough
  io.beat := place.beat
  private val isRoot = RegNext(io.kind === FactorKind.Root || io.kind === FactorKind.Alike)
  private val differ = RegNext(io.kind === FactorKind.Root)
  private val isOne = RegNext(io.kind === FactorKind.One)

  private val exponentBits = mostLog
  private val lowBits = (exponentBits - residues.turnBits + 1) / 2
  private val midBits = exponentBits - residues.turnBits - lowBits
  private val shift = RegNext(U(mostLog, 5 bits) - io.log)

  // 1. The exponent's parts. 2. Their sum. 3. For the largest root. 4. Its sign. 5. Tables.
  private val exponentLatency = 4
  private val first = Powers.latency(residues) // cycles after the place until the first product's factors are there
  require(first > exponentLatency + 1)
  private val common = RegNext((place.high * (place.low @@ U(0, laneBits bits))).resize(exponentBits))
  private val high = place.high
  private val stop = first + residues.latency + residues.turnLatency
  private val valid = Delay(io.input.valid, Factors.latency(residues), init = False)
  io.output.valid := valid
  private val later = Lag(io.input.payload, stop + 2)
  private val isPair = RegNext(io.pairs)
  private val held = RegNextWhen(later, Delay(io.holds, stop + 2, init = False))

  private val exponents = (0 until lanes).map { j =>
    val own = (high * U(j, laneBits bits)).resize(exponentBits)
    val mine = RegNext(if (config.hasThree) differ ? own | U(0) else own)
    val sum = RegNext(common + mine)
    val scaled = RegNext((sum |<< shift).resize(exponentBits))
    RegNext(io.inverse ? (U(0, exponentBits bits) - scaled) | scaled)
  }

  /** Powers of the root by some bits of the exponents, for two lanes from a table. */
  private def powers(from: Int, width: Int): Seq[SInt] = exponents.grouped(2).toSeq.flatMap { two =>
    val wait = first - exponentLatency - 1
    residues.chosen(residues.powers(mostLog - from, width), two.map(it => Delay(it(from, width bits), wait)))
  }
  private val (low, mid) = (powers(0, lowBits), powers(lowBits, midBits))

  for ((exponent, j) <- exponents.zipWithIndex) {
    val product = residues.product(isRoot ? low(j) | io.factor, isRoot ? mid(j) | io.lane(j))
    val turned =
      if (residues.turnBits == 0) product
      else {
        val turns = Delay(exponent.takeHigh(residues.turnBits).asUInt, first - exponentLatency + residues.latency)
        residues.turned(product, isRoot ? turns | U(0))
      }
    val factor = RegNext(isPair ? held.lanes(j).asSInt | (isOne ? S(1, bits bits) | turned))
    io.output.lanes(j) := residues.product(later.lanes(j).asSInt, factor).asBits
  }
}

object Factors {
  def latency(residues: Residues): Int =
    1 + Powers.latency(residues) + residues.latency + residues.turnLatency + 1 + residues.latency
}
