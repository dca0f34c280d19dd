package proofmill.engine.ntt

import spinal.core._
import spinal.lib._

/** Multiplies the first core's results by powers of the column's root: result o of index b by root(6 + size)^(o b).
  *
  * The upper three bits of the exponent select a power of 2^24; the lower nine index a table, whose entry is a factor of a
  * multiplier.
  */
class Twiddles(laneBits: Int, residues: QuadResidues) extends Component {
  private val lanes = 1 << laneBits
  private val q = NttConfig.radixBits - laneBits
  private val index = NttConfig.radixBits // bits of the index
  val io = new Bundle {
    val b = in(UInt(3 bits)) // steady: bits of the index
    val inverse = in(Bool()) // steady
    val columns = in(Bool()) // steady: whether the time has bits of a column's number below those of the index

    /** The beat number, among the beats of this column, of the results that arrive `Twiddles.ahead` cycles later. */
    val time = in(UInt(NttConfig.passBits bits))
    val results = in(Vec(Quad(Quad.digitBits), lanes)) // of the first core, a beat per cycle
    val products = out(Vec(SInt(residues.bits bits), lanes)) // times their powers, `Twiddles.latency` cycles later
  }

  private val places = Arrangement.core(laneBits, (0 until index).map(i => s"a$i"), index, i => s"o$i")
  private def place(bit: Int) = places.indexOf(s"o$bit")
  private val mask = RegNext(((U(1, index + 1 bits) |<< io.b) - 1).resize(index))
  private val b =
    RegNext((io.columns ? (io.time >> (q + laneBits)) | (io.time >> q).resize(index)).resize(index) & mask)
  private val low = RegNext(io.time.resize(q max 1))

  for (lane <- 0 until lanes) {
    val o = Cat((0 until index).map { bit =>
      if (place(bit) < laneBits) Bool((lane >> place(bit) & 1) == 1) else low(place(bit) - laneBits)
    }).asUInt
    val product = RegNext(o * b)
    val scaled = RegNext((product |<< (U(index, 3 bits) - io.b)).resize(NttConfig.passBits))
    val power = RegNext(io.inverse ? (U(0, NttConfig.passBits bits) - scaled) | scaled)
    val turns = RegNext((power.takeHigh(3).asUInt * U(5, 3 bits)).resize(3))
    val residue = residues.of(Quad.turned(io.results(lane), turns))
    val chosen = Delay(power.resize(Twiddles.tableBits), residues.residueLatency + 1)
    io.products(lane) := residues.product(
      residue,
      residues.chosen(residues.powers(NttConfig.passBits, Twiddles.tableBits), chosen)
    )
  }
}

object Twiddles {
  private val tableBits = 9

  /** Cycles from the time to the results. */
  val ahead = 5

  /** Cycles from the results to the products. */
  def latency(residues: QuadResidues): Int = 1 + residues.residueLatency + residues.latency
}
