package proofmill.engine.poseidon

import proofmill.arith.Lag
import spinal.core._
import spinal.lib._

/** The S-boxes of full rounds: raises each element of a row to the power of 5, `config.fullLanes` per cycle. */
class FullSBoxes(config: PoseidonConfig, residues: Residues) extends Component {
  import residues.elementBits
  private val lanes = config.fullLanes
  private val beats = (config.elements + lanes - 1) / lanes
  val io = new Bundle {

    /** Rows to raise. */
    val rows = slave(Stream(Row(config, elementBits)))
    val result = master(Stream(Row(config, elementBits))) // the rows, in order, each element to the power of 5
  }

  // A row is accepted when the output queue has space for it.
  val queue = StreamFifo(Row(config, elementBits), FullSBoxes.depth)
  val begun = CounterUpDown(FullSBoxes.depth + 1, io.rows.fire, io.result.fire)
  val beat = Reg(UInt(log2Up(beats + 1) bits)) init 0 // beats left of the current row
  val row = Reg(Row(config, elementBits))
  io.rows.ready := beat <= 1 && begun =/= FullSBoxes.depth
  when(beat =/= 0) {
    beat := beat - 1
    for ((now, above) <- row.values.zip(row.values.drop(lanes))) now := above
  }
  when(io.rows.fire) {
    beat := beats
    row := io.rows.payload
  }

  // The results are shifted in from the top.
  private val latency = SBox.latency(residues)
  private val powers = row.values.take(lanes).map { element =>
    val sbox = new SBox(residues, scaled = false)
    sbox.io.x := element
    sbox.io.power
  }
  val raised = Vec(Reg(Bits(elementBits bits)), beats * lanes)
  when(Delay(beat =/= 0, latency, init = False)) {
    for ((now, above) <- raised.zip(raised.drop(lanes) ++ powers)) now := above
  }
  queue.io.push.valid := Delay(beat === 1, latency + 1, init = False)
  queue.io.push.progress := Lag(row.progress, latency + 1)
  queue.io.push.values := Vec(raised.take(config.elements))
  io.result << queue.io.pop
}

object FullSBoxes {

  /** Maximum number of rows in the unit. */
  val depth = 64
}
