package proofmill.engine.poseidon

import proofmill.field.Canonical
import proofmill.spec.Poseidon
import proofmill.stream.Port
import spinal.core._
import spinal.lib._

/** Collects digests, converts them into canonical integers, and returns the outcomes of hashes in order.
  *
  * Rows end in any order, each with its slot. Slots are read in order, with as many digests as the row has hashes.
  *
  * | state | action                              | next                        |
  * |:------|:------------------------------------|:----------------------------|
  * | Wait  | waits for the row of the next slot  | Read                        |
  * | Read  | reads the row, frees the slot       | Send                        |
  * | Send  | sends its digests to the converters | Wait, after the last digest |
  */
class DigestCollector(config: PoseidonConfig, residues: Residues) extends Component {
  import config.{mostBlocks, rows}
  import residues.{arithmetic, digits}
  private val bits = digits * arithmetic.product.width
  val io = new Bundle {

    /** Pulse: a row's digests, with its slot. */
    val digests = slave(Flow(Digests(config, bits)))
    val rowSize = slave(Flow(RowSize(config))) // pulse: the number of hashes of a row that was closed
    val pending = slave(Flow(PendingHash())) // pulse: a command, in the order of arrival

    /** The present time, in cycles. */
    val clock = in(UInt(32 bits))

    /** Pulse: the oldest slot is free. */
    val freesSlot = out(Bool())

    /** Outcomes in the order of the commands. */
    val outcome = master(Stream(HashOutcome()))
    val latency = out(UInt(32 bits)) // cycles from the hash's last word, valid with `outcome`
  }

  /** The digests and the sizes of rows, by slot. */
  private val memory = Mem(Vec(Bits(bits bits), mostBlocks), rows)
  private val sizes = Mem(UInt(io.rowSize.last.getWidth bits), rows)
  val complete = Vec(Seq.fill(rows)(RegInit(False)))
  memory.write(io.digests.slot, io.digests.digests, io.digests.valid)
  sizes.write(io.rowSize.slot, io.rowSize.last, io.rowSize.valid)
  when(io.digests.valid)(complete(io.digests.slot) := True)

  /** Reads the rows in order. */
  val slot = Reg(UInt(config.slotBits bits)) init 0
  val digest = Stream(Bits(bits bits))
  io.freesSlot := False
  object State extends SpinalEnum {
    val Wait, Read, Send = newElement()
  }
  val state = RegInit(State.Wait)
  val left = Reg(cloneOf(io.rowSize.last))
  val held = Reg(Vec(Bits(bits bits), mostBlocks))
  private val found = RegNext(complete(slot)) init False
  private val (row, size) = (memory.readSync(slot), sizes.readSync(slot))
  digest.valid := state === State.Send
  digest.payload := held.head
  switch(state) {
    is(State.Wait)(when(found)(state := State.Read))
    is(State.Read) {
      held := row
      left := size
      complete(slot) := False
      slot := slot + 1
      io.freesSlot := True
      state := State.Send
    }
    is(State.Send)(when(digest.fire) {
      for ((now, above) <- held.zip(held.tail)) now := above
      left := left - 1
      when(left === 0)(state := State.Wait)
    })
  }

  /** Converters, enough that no row waits for one. */
  private val residue = arithmetic.port("digest", arithmetic.product)
  val converters = Seq.fill(DigestCollector.converters(config, residue))(new Canonical(residue))
  private val nextConverter = Counter(converters.size, digest.fire)
  private val current = Counter(converters.size)
  digest.ready := Vec(converters.map(_.io.in.ready))(nextConverter)
  for ((unit, i) <- converters.zipWithIndex) {
    unit.io.in.valid := digest.valid && nextConverter === i
    unit.io.in.payload := digest.payload
  }

  // Commands in rows, and those whose row has been read.
  val pending = StreamFifo(PendingHash(), (rows + 1) * mostBlocks + converters.size)
  pending.io.push << io.pending.toStream
  private val hash = Vec(converters.map(_.io.out.payload))(current).resize(PoseidonEntry.bits)
  private val oldest = pending.io.pop
  private val ends = io.outcome.fire
  io.outcome.valid := Vec(converters.map(_.io.out.valid))(current) && oldest.valid
  io.outcome.kind := oldest.strengthened ? HashCommand.strengthened | HashCommand.hash
  io.outcome.index := oldest.index
  io.outcome.status := oldest.bad ? HashStatus.refused | HashStatus.done
  io.outcome.element := oldest.element.resized
  io.outcome.digest := oldest.bad ? B(0, PoseidonEntry.bits bits) | hash
  when(ends)(current.increment())
  oldest.ready := ends
  for ((unit, i) <- converters.zipWithIndex) unit.io.out.ready := ends && current === i
  io.latency := io.clock - oldest.arrival
}

object DigestCollector {

  /** Returns the number of converters: the digests that end in the cycles of a conversion. The distance between the ends of
    * two rows is at least the cycles of their last full rounds.
    */
  private def converters(config: PoseidonConfig, residue: Port): Int = {
    val cycles = Canonical.cycles(residue) + 1 // the next one starts one cycle after the result
    val spacing = Poseidon.fullRounds / 2 * ((config.elements + config.fullLanes - 1) / config.fullLanes)
    (cycles * config.mostBlocks + spacing - 1) / spacing
  }
}
