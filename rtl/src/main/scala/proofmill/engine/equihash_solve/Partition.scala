package proofmill.engine.equihash_solve

import proofmill.arith.BlockMemory
import proofmill.engine.Granule
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi._

/** Entries of a bucket on chip that become a burst. */
case class Full(config: SolverConfig) extends Bundle {
  val bucket = UInt(config.bucketBits bits)
  val number = UInt(log2Up(config.bursts) bits) // of the burst in the bucket
}

/** Stores the entries of a table by buckets.
  *
  * {{{
  *   entries ─► counts(bucket) ─► sets on chip ─► queue of full ones ─► burst ═══► memory
  * }}}
  * Each bucket has a set of entries on chip, so that memory is written in whole bursts. A full set is written while entries of
  * other buckets arrive; an entry waits while its bucket has an entry whose count is not known yet, or a full set that is not
  * being read.
  *
  * The counts of two tables are kept: those of the table being written, and those of the table before it, for its reader.
  */
class Partition(config: SolverConfig) extends Component {
  import config.{beats, bucketBits, countBits, ofBurst, timing}
  private val lag = timing.memory
  private val axi = proofmill.engine.Engine.memory(config.memoryBits)
  private val positionBits = log2Up(ofBurst)
  val io = new Bundle {
    val begin = slave(Flow(UInt(config.roundBits bits))) // a pulse begins a table, only while not busy: its number
    val entries = slave(Stream(Entry(config))) // entries of the table; none is accepted before its counts are cleared
    val finish = in(Bool()) // pulse: no entry follows; what is on chip is written
    val memory = master(Axi4WriteOnly(axi)) // the channel of the tables
    val bucket = in(UInt(bucketBits bits)) // a bucket of the table before, always valid
    val count = out(UInt(countBits bits)) // its number of entries, `timing.memory` cycles later
    val busy =
      out(Bool()) // level from the cycle after a pulse on: counts are cleared, or entries are on chip after `finish`, or responses are missing
    val stored, dropped = out(RegInit(False)) // pulses: an entry was stored; there was no space for it
  }
  val table = Reg(UInt(config.roundBits bits)) init 0
  val clearing, open = RegInit(False)
  val finishing = RegInit(False)
  val swept = Reg(UInt(bucketBits bits)) init 0 // the bucket that is cleared, or finished

  // The entry of each stage, until its count is known.
  val arrival = new Area {
    val entries = io.entries.s2mPipe().m2sPipe()
    val free = Bool()
    val fire = entries.valid && open && free
    entries.ready := open && free
    val bucket = entries.bucket
    val valid = History(fire, lag + 1, init = False)
    val buckets = (1 to lag).scanLeft(bucket)((before, _) => RegNext(before))
    val entry = Delay(entries.payload, lag)
    val waits = (1 to lag).map(i => valid(i) && buckets(i) === bucket).orR
  }

  val counts = Seq.fill(2)(new BlockMemory(countBits, bucketBits, timing))
  private val side = table.lsb // the counts of the table being written
  private val found = Vec(counts.map(_.io.found.asUInt))(side.asUInt)
  io.count := Vec(counts.map(_.io.found.asUInt))((!side).asUInt)
  val placed = new Area {
    val bucket = arrival.buckets.last
    val count = found
    val isFull = count === config.capacity
    val store = arrival.valid.last && !isFull
    io.stored := store
    io.dropped := arrival.valid.last && isFull
    for ((memory, i) <- counts.zipWithIndex) {
      val here = side === Bool(i == 1)
      memory.io.write := here && (clearing || store)
      memory.io.place := clearing ? swept | bucket
      memory.io.content := clearing ? B(0, countBits bits) | (count + 1).asBits
      memory.io.read := here ? (finishing ? swept | arrival.bucket) | io.bucket
    }
  }

  // Sets on chip: a memory for each entry of a beat.
  private val beatBits = log2Up(beats)
  val parts = Seq.fill(SolverConfig.ofBeat)(new BlockMemory(SolverConfig.entryBits, bucketBits + beatBits, timing))
  private val beatOf = placed.count.take(positionBits).drop(log2Up(SolverConfig.ofBeat)).asUInt
  for ((part, i) <- parts.zipWithIndex) {
    part.io.write := placed.store && placed.count.take(log2Up(SolverConfig.ofBeat)).asUInt === i
    part.io.place := placed.bucket @@ beatOf
    part.io.content := arrival.entry.asBits.resized
  }

  /** Full sets; the first one is being written. */
  val full = new Area {
    private val size = lag + 4
    val valid = Vec(RegInit(False), size)
    val sets = Vec(Reg(Full(config)), size)
    val push = Flow(Full(config))
    val reading, pop = Bool() // level: the first one is being read; pulse: it was read
    private val moved = (0 until size).map(i => pop ? (if (i + 1 < size) valid(i + 1) else False) | valid(i))
    for (i <- 0 until size) {
      val before = if (i == 0) True else moved(i - 1)
      when(pop) { if (i + 1 < size) sets(i) := sets(i + 1) }
      valid(i) := moved(i)
      when(push.valid && before && !moved(i)) {
        valid(i) := True
        sets(i) := push.payload
      }
    }

    /** Returns whether the bucket has a full set that is not being read. One that is being read is read faster than it can be filled again. */
    def has(bucket: UInt): Bool = valid.zip(sets).zipWithIndex.map { case ((used, one), i) =>
      used && one.bucket === bucket && (if (i == 0) !reading else True)
    }.reduce(_ || _)

    /** Space for the entries whose counts are not known, and for one more. */
    val open = !valid(size - 1 - lag)
  }
  // After the last entry: the sets that are not full.
  val finish = new Area {
    val issue = Bool()
    val valid = History(issue, lag + 1, init = False)
    issue := finishing && !valid.tail.orR && full.open
    val rest = found.take(positionBits).asUInt
    val some = valid.last && rest =/= 0
    when(valid.last) {
      swept := swept + 1
      when(swept.andR)(finishing := False)
    }
  }
  private val ends = placed.store && placed.count.take(positionBits).asUInt.andR
  full.push.valid := ends || finish.some
  full.push.bucket := ends ? placed.bucket | swept
  full.push.number := (found >> positionBits).resized

  /** Writes a full set. */
  val burst = new Area {
    val queue = StreamFifo(Bits(SolverConfig.ofBeat * SolverConfig.entryBits bits), 4 * beats, forFMax = true)
    val hasSpace = RegNext(queue.io.availability >= 2 * beats + lag + 1) init False
    val reading, addressing = RegInit(False)
    val beat = Reg(UInt(beatBits bits)) init 0
    val current = full.sets(0)
    val settled = RegNext(full.valid(0) && !full.pop) init False
    val base = RegNext(EntryAddress.of(config, table, current.bucket)) // while settled
    val address = Reg(UInt(config.memoryBits bits))
    val start = settled && !reading && !addressing && hasSpace
    when(start) {
      reading := True
      addressing := True
      address := base + (current.number << log2Up(Granule.beat * beats)).resized
    }
    when(io.memory.aw.fire)(addressing := False)
    when(reading) {
      beat := beat + 1
      when(beat.andR)(reading := False)
    }
    full.reading := reading
    full.pop := reading && beat.andR
    for (part <- parts) part.io.read := current.bucket @@ beat
    queue.io.push.valid := Delay(reading, lag, init = False)
    queue.io.push.payload := Cat(parts.map(_.io.found))

    io.memory.aw.valid := addressing
    io.memory.aw.addr := address
    io.memory.aw.len := beats - 1
    io.memory.aw.size := log2Up(Granule.beat)
    io.memory.aw.setBurstINCR()

    // Data follow their address.
    val owed = Reg(UInt(4 bits)) init 0 // bursts whose address was accepted, and whose data were not
    val sent = Reg(UInt(beatBits bits)) init 0
    val data = queue.io.pop.haltWhen(owed === 0)
    io.memory.w.arbitrationFrom(data)
    io.memory.w.data := data.payload
    io.memory.w.strb.setAll()
    io.memory.w.last := sent.andR
    when(io.memory.w.fire)(sent := sent + 1)
    owed := owed + io.memory.aw.fire.asUInt - (io.memory.w.fire && io.memory.w.last).asUInt

    val unanswered = Reg(UInt(16 bits)) init 0 // bursts without a response
    io.memory.b.ready := True
    unanswered := unanswered + start.asUInt - io.memory.b.fire.asUInt
  }

  arrival.free := !arrival.waits && !full.has(arrival.bucket) && full.open

  when(clearing) {
    swept := swept + 1
    when(swept.andR) {
      clearing := False
      open := True
    }
  }
  when(io.begin.valid) {
    table := io.begin.payload
    clearing := True
    open := False
  }
  val ending = RegInit(False) // `finish` came, and entries may still be before their counts
  when(io.finish)(ending := True)
  when(ending && !arrival.entries.valid && !arrival.valid.tail.orR) {
    open := False
    ending := False
    finishing := True
  }
  io.busy := clearing || ending || finishing || full.valid.orR || burst.reading || burst.unanswered =/= 0 ||
    finish.valid.tail.orR
}
