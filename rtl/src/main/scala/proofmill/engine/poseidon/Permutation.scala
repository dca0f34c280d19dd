package proofmill.engine.poseidon

import proofmill.arith.{Copies, HalfRate, Lag, Timing}
import proofmill.spec.Poseidon
import spinal.core._
import spinal.lib._

/** The digests of a row, each as digits of a product; undefined for places without a state. */
case class Digests(config: PoseidonConfig, bits: Int) extends Bundle {
  val slot = UInt(config.slotBits bits)
  val digests = Vec(Bits(bits bits), config.mostBlocks)
}

/** Permutes many rows at once, pipelined.
  *
  * {{{
  *                ┌──────────── FullSBoxes: full rounds           ◄─┬─ rows
  *                ▼                                                   │
  *   ┌─ partial ─►(join)─► Linear ─┬─ next round full ── queue ───────┘
  *   │                             │
  *   └── S-box of each state ◄─────┴─ next round partial, or none ─► k x: digests
  * }}}
  *
  * The loop of partial S-boxes and the linear layer never stalls. Rows from full rounds wait for a free slot in it; a row that ends frees one. So no
  * queue overflows while at most `config.rows` rows are in flight, and all of them end.
  *
  * A row enters with the constants of its first round added.
  */
class Permutation(config: PoseidonConfig, residues: Residues) extends Component {
  import residues.{arithmetic, digits, elementBits}
  private val productBits = digits * arithmetic.product.width
  private def row = Row(config, elementBits)
  val io = new Bundle {

    /** Rows to permute. */
    val rows = slave(Stream(row))
    val digests = master(Flow(Digests(config, productBits))) // their digests, in any order; no back-pressure
  }

  val returning = StreamFifo(row, config.rows)
  val fullSBoxes = new FullSBoxes(config, residues)
  val accepts = RegInit(True)
  // New rows have priority over returning ones, which spaces them evenly. A row has several beats, so half the rate is enough. The selection is
  // registered: a new row stays until it is accepted.
  private val chosen = {
    val (fresh, older) = (io.rows, returning.io.pop)
    val next = fresh.valid && accepts && !fresh.fire
    val isFresh = RegNext(next) init False
    val to = Stream(row)
    to.valid := isFresh || older.valid
    fresh.ready := isFresh && to.ready
    older.ready := !isFresh && to.ready
    val offers = to.payload.flatten.zip(fresh.payload.flatten.zip(older.payload.flatten))
    for (((part, (one, other)), takesFresh) <- offers.zip(Copies(next, offers.size, Timing(), init = Some(false)))) {
      part.assignFrom(other)
      when(takesFresh)(part.assignFrom(one))
    }
    to
  }
  fullSBoxes.io.rows << HalfRate(chosen)

  /** Merges rows into the linear layer. */
  val join = new Area {
    val partial = Flow(row)
    val entering = Flow(row)
    entering.valid := partial.valid || fullSBoxes.io.result.valid
    entering.payload := partial.valid ? partial.payload | fullSBoxes.io.result.payload
    fullSBoxes.io.result.ready := !partial.valid
    val held = entering.m2sPipe()
    val next = held.progress.next
  }
  val constants = new RoundConstants(config, residues)
  constants.io.next := join.next

  val linear = new Linear(config, residues)
  private val behind = {
    val cycles = RoundConstants.latency
    val (row, next) = (Lag(masked(join.held.payload), cycles), Lag(join.next, cycles))
    linear.io.row := row.asBits
    linear.io.constants := constants.io.row
    linear.io.code := next.code
    val done = Flow(Row(config, elementBits))
    done.valid := Delay(join.held.valid, cycles + linear.latency, init = False)
    done.progress := Lag(next, linear.latency)
    done.values.assignFromBits(linear.io.result)
    done.m2sPipe()
  }
  private val toFull = behind.progress.isFull
  returning.io.push.valid := behind.valid && toFull
  returning.io.push.payload := behind.payload

  val sboxes = new PartialSBoxes(config, residues)
  sboxes.io.row.valid := behind.valid && !toFull
  sboxes.io.row.payload := behind.payload
  join.partial << sboxes.io.result
  io.digests << sboxes.io.digests

  /** New rows wait while as many are in flight as the loop of partial rounds and the queue of [[FullSBoxes]] hold. More would wait in front of the
    * full S-boxes, which are too slow for bursts of free slots of the loop, and the linear layer would idle.
    */
  private val loop = 2 + RoundConstants.latency + linear.latency + sboxes.latency
  val inFlight = Reg(UInt(log2Up(config.rows + 1) bits)) init 0
  inFlight := inFlight + io.rows.fire.asUInt - io.digests.valid.asUInt
  accepts := inFlight < ((loop + FullSBoxes.depth) min config.rows)

  /** Clears the positions that are not elements of a state. */
  private def masked(row: Row) = Vec(row.values.zipWithIndex.map { case (element, i) =>
    val used = config.byCode(row.progress.code, config.hashes.indices.map(code => Bool(config.isUsed(code, i))))
    element & B(elementBits bits, default -> used)
  })
}

/** Reads the constants of a row's next round, with a latency of `latency` cycles. */
class RoundConstants(config: PoseidonConfig, residues: Residues) extends Component {
  import residues.elementBits
  val io = new Bundle {
    val next = in(Progress(config)) // the round
    val row = out(Bits(config.elements * elementBits bits)) // its constants, `latency` cycles later
  }
  private def encoded(value: BigInt) = B(residues.encoded(value), elementBits bits)
  private def place(code: Int, element: Int) = element % (config.elements / config.blocks(code))

  // Full rounds: first half, then second half; one element for each read.
  private val half = Poseidon.fullRounds / 2
  private val fullBits = log2Up(half) + 1
  private val full = RegNext(Vec((0 until config.elements).map { i =>
    val words = config.hashes.zipWithIndex.flatMap { case (hash, code) =>
      (0 until 2 * half).map { step =>
        val constants = hash.constants(if (step < half) step else hash.rounds - 2 * half + step)
        encoded(constants.applyOrElse(place(code, i), (_: Int) => BigInt(0)))
      }
    }
    val address = io.next.code @@ (io.next.phase === Phase.last).asUInt @@ io.next.step.resize(fullBits - 1)
    Mem(Bits(elementBits bits), words).readSync(address.resize(log2Up(words.size)))
  }))

  // Partial rounds: constant of the first element.
  private val partial = RegNext({
    val words = config.hashes.flatMap { hash =>
      (0 until 1 << config.stepBits).map { step =>
        encoded(if (step < hash.partial) hash.constants(half + step).head else 0)
      }
    }
    Mem(Bits(elementBits bits), words).readSync((io.next.code @@ io.next.step).resize(log2Up(words.size)))
  })
  private val known = Lag(io.next, RoundConstants.latency)
  io.row := Cat((0 until config.elements).map { i =>
    val first = config.byCode(known.code, config.hashes.indices.map(code => Bool(place(code, i) == 0)))
    val none = B(0, elementBits bits)
    known.phase.mux(
      Phase.finish -> none,
      Phase.partial -> (first ? partial | none),
      default -> full(i)
    )
  })
}

object RoundConstants {
  val latency = 2
}
