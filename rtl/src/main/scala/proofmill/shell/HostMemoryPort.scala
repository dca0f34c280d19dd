package proofmill.shell

import org.tomlj.TomlTable
import proofmill.engine.{Granule, ReadJob, Reader}
import proofmill.spec.{Block, Spec}
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi._

/** The host's port to a card's memory: `spec/wire/memory_door.toml`, one transfer at a time, one beat per cycle.
  *
  * | state  | action                                                                                        | next                       |
  * |:-------|:----------------------------------------------------------------------------------------------|:---------------------------|
  * | HEAD   | registers the header, which is the first beat                                                 | CHECK                      |
  * | CHECK  | checks its fields                                                                             | WRITE, READ, or DRAIN      |
  * | WRITE  | queues the unpacked data; a burst starts when all of its data is queued, so that it never     | DRAIN                      |
  * |        | blocks the memory; missing data are replaced by beats without byte enables                    |                            |
  * | READ   | passes beats to the reply                                                                     | DRAIN                      |
  * | DRAIN  | discards the rest of the transfer, waits for responses                                        | ANSWER                     |
  * | ANSWER | sends the header with its status                                                              | HEAD                       |
  *
  * @param config   of the memory channels; the widest address of all
  * @param channels bytes of each channel
  */
class HostMemoryPort(config: Axi4Config, channels: Seq[BigInt]) extends Component {
  private val beatBits = config.dataWidth
  private val most = Granule.beats
  val io = new Bundle {

    /** Transfers from the host: a header, then the data of a write. */
    val transfers = slave(Stream(Fragment(Bits(beatBits bits))))
    val answers = master(Stream(Fragment(Bits(beatBits bits)))) // per transfer the data of a read, then the status

    /** The selected memory channel. */
    val memory = master(Axi4(config))
    val channel = out(UInt(log2Up(channels.size max 2) bits)) // its number; steady while a burst is outstanding
  }

  object State extends SpinalEnum { val HEAD, CHECK, WRITE, READ, DRAIN, ANSWER = newElement() }
  val state = RegInit(State.HEAD)

  // 1. The header.
  val header = Reg(Bits(beatBits bits))
  private def field(name: String): UInt = {
    val at = HostMemoryPort.header.getTable(name)
    header(8 * Spec.int(at, "offset"), 8 * Spec.int(at, "bytes") bits).asUInt
  }
  val ended = Reg(Bool()) // the transfer's last beat was accepted
  val taking = io.transfers.fire
  when(taking)(ended := io.transfers.last)

  // 2. The address, in beats of the memory.
  private val kind = field("kind")
  private val slice = field("slice")
  private val address = field("address")
  private val beats = field("beats")
  private val first = (address >> log2Up(Granule.beat)).resize(33 bits)
  private val end = first +^ beats
  private val granule = address(log2Up(Granule.bytes) - 1 downto 0) === 0
  private val inside = channels.zipWithIndex.map { case (bytes, i) =>
    field("channel") === i && address < bytes && end <= bytes / Granule.beat
  }.orR
  private val writes = kind === HostMemoryPort.kind("write")
  private val reads = kind === HostMemoryPort.kind("read")
  private val packed = slice === SliceUnpacker.wide
  private val allowed =
    field("magic") === Spec.big(HostMemoryPort.header.getTable("magic"), "value") && granule && inside &&
      beats =/= 0 && beats <= HostMemoryPort.longest && (reads || (writes && (packed || slice === Granule.beat)))
  val status = Reg(UInt(32 bits))
  io.channel := RegNextWhen(field("channel").resize(io.channel.getWidth bits), state === State.CHECK) init 0

  // 3. Data to the queue: `missing` beats have not arrived.
  private val countBits = log2Up(HostMemoryPort.longest + 1)
  val missing = Reg(UInt(countBits bits))
  val unpacker = new SliceUnpacker
  unpacker.packed := packed
  unpacker.clear := state === State.CHECK
  private val feeding = state === State.WRITE && !ended
  val queue = StreamFifo(Bits(beatBits + 1 bits), depth = 2 * most)
  // A slice may still be in the unpacker when the transfer has ended.
  private val madeUp = ended && !unpacker.slices.valid
  queue.io.push.valid := state === State.WRITE && missing =/= 0 && (unpacker.slices.valid || madeUp)
  queue.io.push.payload := madeUp ## unpacker.slices.payload
  unpacker.slices.ready := queue.io.push.ready && state === State.WRITE && missing =/= 0
  unpacker.beats.valid := io.transfers.valid && feeding
  unpacker.beats.payload := io.transfers.fragment
  when(queue.io.push.fire) {
    missing := missing - 1
    when(madeUp)(status := HostMemoryPort.status("length"))
  }

  // Bursts from the queue: `left` beats have no address yet; `owed` beats belong to the current burst.
  val left = Reg(UInt(countBits bits)) init 0
  val place = Reg(UInt(config.addressWidth bits))
  val owed = Reg(UInt(log2Up(most + 1) bits)) init 0
  val open = Reg(UInt(log2Up(HostMemoryPort.bursts + 1) bits)) init 0
  private val length = left.min(most).resize(log2Up(most + 1))
  private val data = io.memory.w.fire
  private val waiting = queue.io.occupancy - owed
  io.memory.aw.valid := state === State.WRITE && left =/= 0 && owed === 0 && waiting >= length && open < HostMemoryPort.bursts
  io.memory.aw.addr := place
  io.memory.aw.len := (length - 1).resized
  io.memory.aw.size := log2Up(Granule.beat)
  io.memory.aw.setBurstINCR()
  io.memory.w.valid := queue.io.pop.valid && owed =/= 0
  io.memory.w.data := queue.io.pop.payload.takeLow(beatBits)
  io.memory.w.strb := B(beatBits / 8 bits, default -> !queue.io.pop.payload.msb)
  io.memory.w.last := owed === 1
  queue.io.pop.ready := io.memory.w.ready && owed =/= 0
  io.memory.b.ready := True
  when(data)(owed := owed - 1)
  when(io.memory.aw.fire) {
    owed := length
    left := left - length
    place := place + Granule.bytes
  }
  open := open + io.memory.aw.fire.asUInt - io.memory.b.fire.asUInt
  when(io.memory.b.fire && io.memory.b.resp =/= Axi4.resp.OKAY)(status := HostMemoryPort.status("memory_fault"))

  // 4. Reads.
  val reader = new Reader(config, depth = 4 * most)
  io.memory.ar << reader.io.memory.ar
  reader.io.memory.r << io.memory.r
  reader.io.stop := False
  reader.io.start.valid := state === State.CHECK && allowed && reads
  reader.io.start.address := address.resized
  reader.io.start.beats := beats.resized
  reader.io.start.repeats := 1
  private val readOut = state === State.READ && missing =/= 0
  reader.io.beats.ready := io.answers.ready && readOut
  when(reader.io.beats.fire)(missing := missing - 1)

  // 5. and 6.
  io.transfers.ready := state === State.HEAD || (feeding && unpacker.beats.ready) || (state === State.DRAIN && !ended)
  io.answers.valid := readOut ? reader.io.beats.valid | (state === State.ANSWER)
  io.answers.fragment := readOut ? reader.io.beats.payload | HostMemoryPort.answer(header, status)
  io.answers.last := !readOut

  switch(state) {
    is(State.HEAD) {
      header := io.transfers.fragment
      when(taking)(state := State.CHECK)
    }
    is(State.CHECK) {
      status := HostMemoryPort.status("done")
      when(!allowed)(status := HostMemoryPort.status("refused"))
      missing := beats.resized
      left := 0
      when(allowed && writes)(left := beats.resized)
      place := address.resized
      state := State.DRAIN
      when(allowed && writes)(state := State.WRITE)
      when(allowed && reads)(state := State.READ)
    }
    is(State.WRITE)(when(missing === 0 && left === 0 && owed === 0)(state := State.DRAIN))
    is(State.READ) {
      when(missing === 0) {
        when(reader.io.fault)(status := HostMemoryPort.status("memory_fault"))
        state := State.DRAIN
      }
    }
    is(State.DRAIN) {
      when(taking && allowed && status === HostMemoryPort.status("done"))(status := HostMemoryPort.status("length"))
      when(ended && open === 0)(state := State.ANSWER)
    }
    is(State.ANSWER)(when(io.answers.fire)(state := State.HEAD))
  }

  /** Pulses to count, by the names of the block's counters. */
  val events: Map[String, Bool] = Map(
    "written" -> data,
    "read" -> reader.io.beats.fire,
    "refused" -> (state === State.ANSWER && io.answers.fire && status =/= HostMemoryPort.status("done"))
  )
  for ((name, event) <- events) out(event.setName(s"counts_$name"))
}

object HostMemoryPort {
  private val wire: TomlTable = Spec.table("wire/memory_door")
  private val header = wire.getTable("header")
  private def kind(name: String): Int = Spec.int(wire.getTable("kind"), name)
  private def status(name: String): Int = Spec.int(wire.getTable("status"), name)

  /** Maximum number of outstanding bursts. */
  private val bursts = 32

  /** Beats of the longest transfer: 4 MiB. */
  val longest = 1 << 16

  val block: Block = Block(wire)

  private def answer(header: Bits, status: UInt): Bits = {
    val at = 8 * Spec.int(this.header.getTable("status"), "offset")
    header.dropLow(at + 32) ## status ## header.takeLow(at)
  }
}
