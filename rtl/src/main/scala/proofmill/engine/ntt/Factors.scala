package proofmill.engine.ntt

import proofmill.arith.Lag
import spinal.core._
import spinal.lib._

object FactorKind extends SpinalEnum {

  /** The factor of an element. One: 1. Power: scale shift^i for element i. Root: root(log)^(high low) for the element's
    * position in a matrix, where the lanes are the lowest bits of `low`. Alike: as Root with lane bits 0, so that all lanes
    * have the same factor.
    */
  val One, Power, Root, Alike = newElement()
}

/** The position of a beat in its transform, and in the matrix of the pass. */
case class Place(config: NttConfig) extends Bundle {
  val beat = UInt(config.beatBits bits) // number of the beat in its transform
  val high = UInt((if (config.hasThree) config.restBits max NttConfig.passBits else NttConfig.passBits) bits)
  val low = UInt(config.lowBits bits) // without the lane bits
}

/** Multiplies each element by the factor of its position. It accepts and returns one beat each cycle.
  *
  * A factor is the product of two table entries. The exponent of a root has three parts: two of them index tables of powers,
  * and the highest `turnBits` bits are a rotation.
  */
class Factors(config: NttConfig, residues: Residues) extends Component {
  import config.{laneBits, lanes, mostLog}
  private val bits = residues.bits
  val io = new Bundle {
    val kind = in(FactorKind()) // steady during a pass
    val inverse = in(Bool()) // steady during a pass
    val log = in(UInt(5 bits)) // steady during a pass
    val input = slave(Flow(Beat(bits, lanes))) // beats
    val place = in(Place(config)) // position of the beat, valid with `input`
    val output = master(Flow(Beat(bits, lanes))) // beats times their factors

    /** Multiplies by the beat that arrived with `holds` instead, at least two cycles earlier. */
    val pairs = in(Bool()) // steady during a pass
    val holds = in(Bool()) // pulse with `input`: keeps this beat as a factor

    /** Number of the beat, for [[Powers]]. */
    val beat = out(UInt(config.beatBits bits))
    val factor = in(SInt(bits bits)) // from [[Powers]]: the factor of the beat
    val lane = in(Vec(SInt(bits bits), lanes)) // from [[Powers]]: the factors of the lanes
  }
  private val place = RegNext(io.place) // a register stage for the long wires from the pass parameters
  io.beat := place.beat
  private val isRoot = RegNext(io.kind === FactorKind.Root || io.kind === FactorKind.Alike)
  private val differ = RegNext(io.kind === FactorKind.Root)
  private val isOne = RegNext(io.kind === FactorKind.One)

  private val exponentBits = mostLog
  private val lowBits = (exponentBits - residues.turnBits + 1) / 2
  private val midBits = exponentBits - residues.turnBits - lowBits
  private val shift = RegNext(U(mostLog, 5 bits) - io.log)

  // 1. The exponent's parts. 2. Their sum. 3. Scaled to the largest root. 4. Its sign. 5. Tables.
  private val exponentLatency = 4
  private val first = Powers.latency(residues) // cycles from the position to the operands of the first product
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

  /** Powers of the root by some bits of the exponents; one table serves two lanes. */
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
