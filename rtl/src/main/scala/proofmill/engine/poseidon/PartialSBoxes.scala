package proofmill.engine.poseidon

import proofmill.arith.Lag
import spinal.core._
import spinal.lib._

/** The S-boxes of partial rounds, one row each cycle: raises the first element of each state to the power of 5 and scales it;
  * the other elements pass.
  *
  * A row leaves the permutation from this unit after its last round: the first multiplication scales the second element of
  * each state, which is its digest.
  */
class PartialSBoxes(config: PoseidonConfig, residues: Residues) extends Component {
  import config.mostBlocks
  import residues.{arithmetic, digits, elementBits}
  val io = new Bundle {

    /** Rows, one per cycle. */
    val row = slave(Flow(Row(config, elementBits)))
    val result = master(Flow(Row(config, elementBits))) // first elements raised; `latency` cycles after `row`
    val digests = master(Flow(Digests(config, digits * arithmetic.product.width))) // digests of a row after its end
  }
  private val codes = config.hashes.indices
  private val finish = Phase.finish

  // The factors of partial rounds by their step; the last one is that of digests.
  private val factor = {
    val steps = 1 << config.stepBits
    val words = config.hashes.flatMap { hash =>
      (0 until steps).map { step =>
        val first = proofmill.spec.Poseidon.fullRounds / 2
        val value =
          if (step == steps - 1) hash.last * config.form
          else if (step < hash.partial) hash.factors(first + step)
          else BigInt(0)
        B(residues.encoded(value), elementBits bits)
      }
    }
    val known = io.row.progress
    val step = (known.phase === finish) ? U(steps - 1) | known.step
    RegNext(Mem(Bits(elementBits bits), words).readSync((known.code @@ step).resize(log2Up(words.size))))
  }
  private val read = 2 // cycles
  private val row = Lag(io.row.payload, read)
  private val valid = Delay(io.row.valid, read, init = False)
  private val ends = row.progress.phase === finish

  /** Selects a block's element by the width; block 0 if there is no such block. */
  private def chosen(row: Row, block: Int, element: Int): Bits = config.byCode(
    row.progress.code,
    codes.map(code => row.values(if (block < config.blocks(code)) config.place(code, block) + element else element))
  )
  val sboxes = (0 until mostBlocks).map { block =>
    val sbox = new SBox(residues, scaled = true)
    sbox.io.x := RegNext(ends ? chosen(row, block, 1) | chosen(row, block, 0))
    sbox.io.k := RegNext(factor)
    sbox
  }

  private val toProduct = SBox.productLatency(residues) + 1
  io.digests.valid := Delay(valid && ends, toProduct, init = False)
  io.digests.slot := Lag(row.progress.slot, toProduct)
  io.digests.digests := Vec(sboxes.map(_.io.product))

  private val toPower = SBox.latency(residues) + 1

  /** Cycles from a row to its result. */
  val latency: Int = read + toPower
  io.result.valid := Delay(valid && !ends, toPower, init = False)
  io.result.payload := Lag(row, toPower)
  for ((sbox, block) <- sboxes.zipWithIndex; code <- codes; if block < config.blocks(code))
    when(config.byCode(io.result.progress.code, codes.map(c => Bool(c == code)))) {
      io.result.values(config.place(code, block)) := sbox.io.power
    }
}
