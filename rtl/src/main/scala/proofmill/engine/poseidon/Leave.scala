package proofmill.engine.poseidon

import proofmill.field.Canonical
import proofmill.spec.Poseidon
import proofmill.stream.Port
import spinal.core._
import spinal.lib._

/** Keeps digests until their turn, makes canonical integers of them, and answers hashes in their order.
  *
  * Rows end in any order; each has a slot. The slots are read in turn, and of a row as many digests as it has hashes.
  */
class Leave(config: PoseidonConfig, residues: Residues) extends Component {
  import config.{mostBlocks, rows}
  import residues.{arithmetic, digits}
  private val bits = digits * arithmetic.product.width
  val io = new Bundle {
    val digests = slave(Flow(Digests(config, bits)))
    val filled = slave(Flow(Filled(config)))
    val pending = slave(Flow(Pending()))
    val clock = in(UInt(32 bits))
    val leaves = out(Bool()) // the oldest slot is free again
    val answer = master(Stream(Outcome()))
    val latency = out(UInt(32 bits)) // of that hash
  }

  /** Rows that are whole, by slot. */
  private val memory = Mem(Vec(Bits(bits bits), mostBlocks), rows)
  private val sizes = Mem(UInt(io.filled.last.getWidth bits), rows)
  val whole = Vec(Seq.fill(rows)(RegInit(False)))
  memory.write(io.digests.slot, io.digests.digests, io.digests.valid)
  sizes.write(io.filled.slot, io.filled.last, io.filled.valid)
  when(io.digests.valid)(whole(io.digests.slot) := True)

  /** Reads one row after the other: looks, reads, then hands its digests on. */
  val slot = Reg(UInt(config.slotBits bits)) init 0
  val digest = Stream(Bits(bits bits))
  io.leaves := False
  object State extends SpinalEnum {
    val Look, Read, Hand = newElement()
  }
  val state = RegInit(State.Look)
  val left = Reg(cloneOf(io.filled.last))
  val held = Reg(Vec(Bits(bits bits), mostBlocks))
  private val found = RegNext(whole(slot)) init False
  private val (row, size) = (memory.readSync(slot), sizes.readSync(slot))
  digest.valid := state === State.Hand
  digest.payload := held.head
  switch(state) {
    is(State.Look)(when(found)(state := State.Read))
    is(State.Read) {
      held := row
      left := size
      whole(slot) := False
      slot := slot + 1
      io.leaves := True
      state := State.Hand
    }
    is(State.Hand)(when(digest.fire) {
      for ((now, above) <- held.zip(held.tail)) now := above
      left := left - 1
      when(left === 0)(state := State.Look)
    })
  }

  /** So many at a time that rows find one free. */
  private val residue = arithmetic.port("digest", arithmetic.product)
  val canonicals = Seq.fill(Leave.canonicals(config, residue))(new Canonical(residue))
  private val deal = Counter(canonicals.size, digest.fire)
  private val turn = Counter(canonicals.size)
  digest.ready := Vec(canonicals.map(_.io.in.ready))(deal)
  for ((unit, i) <- canonicals.zipWithIndex) {
    unit.io.in.valid := digest.valid && deal === i
    unit.io.in.payload := digest.payload
  }

  // Commands in rows, and those whose row has been read.
  val pending = StreamFifo(Pending(), (rows + 1) * mostBlocks + canonicals.size)
  pending.io.push << io.pending.toStream
  private val hash = Vec(canonicals.map(_.io.out.payload))(turn).resize(PoseidonEntry.bits)
  private val asked = pending.io.pop
  private val ends = io.answer.fire
  io.answer.valid := Vec(canonicals.map(_.io.out.valid))(turn) && asked.valid
  io.answer.kind := asked.strengthened ? Kind.strengthened | Kind.hash
  io.answer.index := asked.index
  io.answer.status := asked.bad ? Status.refused | Status.done
  io.answer.element := asked.element.resized
  io.answer.digest := asked.bad ? B(0, PoseidonEntry.bits bits) | hash
  when(ends)(turn.increment())
  asked.ready := ends
  for ((unit, i) <- canonicals.zipWithIndex) unit.io.out.ready := ends && turn === i
  io.latency := io.clock - asked.arrival
}

object Leave {

  /** As many as there are digests in the cycles of one. When no new rows come, those that leave are as many cycles apart as their last full
    * rounds take; until then it is all their rounds.
    */
  private def canonicals(config: PoseidonConfig, residue: Port): Int = {
    val cycles = Canonical.cycles(residue) + 1 // the next one is taken a cycle after the result
    val apart = Poseidon.fullRounds / 2 * ((config.elements + config.fullLanes - 1) / config.fullLanes)
    (cycles * config.mostBlocks + apart - 1) / apart
  }
}
