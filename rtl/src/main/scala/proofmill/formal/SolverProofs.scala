package proofmill.formal

import proofmill.engine.Granule
import proofmill.engine.equihash_solve.{BucketPairs, Entry, Partition, SolverConfig}
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi.Axi4

/** In the first cycles after a reset: every entry of a table is written to the memory once, to its place in its bucket.
  *
  * Any single entry is watched: it is marked, and all others are not. Buckets, times and the memory's patience are free; up to three
  * bursts are open. The table is the first one after a reset.
  */
class PartitionProof(length: Int) extends Component with Proof {
  override def cycles: Option[Int] = Some(length)
  private val config = SolverConfig("equihash_48_5", bucketBits = 1, memoryBits = 20, beats = 2)
  private val table = 1
  val dut = new Partition(config)
  private val first = RegNext(False) init True
  dut.io.begin.valid := first
  dut.io.begin.payload := table
  dut.io.bucket := 0

  val arriving = in(Bool())
  val bucket = in(UInt(1 bits))
  val marked = in(Bool())
  private val string = (bucket.asBits ## B(0, config.params.n - 1 bits))
  dut.io.entries.valid := arriving
  dut.io.entries.string := string
  dut.io.entries.reference := marked.asBits.resized
  private val entered = dut.io.entries.fire

  val finish = freeInput(dut.io.finish)
  val finished = RegInit(False) setWhen finish
  assume(!(arriving && finished))
  assume(!(finish && (finished || first || RegNext(first, init = False) || dut.clearing.pull())))

  // The watched entry, and the place that it must be written to.
  private val counts = Vec.fill(2)(Reg(UInt(config.countBits bits)) init 0)
  val sent = RegInit(False)
  val place = Reg(UInt(config.bucketBits + config.countBits bits)) init 0
  assume(!(marked && sent))
  when(entered) {
    counts(bucket) := counts(bucket) + 1
    when(marked) {
      sent := True
      place := (bucket ## counts(bucket)).asUInt
    }
  }

  // The memory: data after their addresses, responses after the data.
  val memory = master(cloneOf(dut.io.memory))
  memory << dut.io.memory
  private val open = 3
  val addresses = Vec.fill(open)(Reg(UInt(config.memoryBits bits)) init 0)
  val waiting = Reg(UInt(log2Up(open + 1) bits)) init 0 // bursts with an address and not all data
  val beat = Reg(UInt(1 bits)) init 0
  val unanswered = Reg(UInt(4 bits)) init 0
  private val ends = memory.w.fire && memory.w.last
  assume(!memory.aw.fire || waiting < open)
  assume(!memory.b.valid || unanswered =/= 0)
  assume(memory.b.resp === Axi4.resp.OKAY)
  unanswered := unanswered + ends.asUInt - memory.b.fire.asUInt
  waiting := waiting + memory.aw.fire.asUInt - ends.asUInt
  when(ends)(for (i <- 1 until open) addresses(i - 1) := addresses(i))
  when(memory.aw.fire)(addresses((waiting - ends.asUInt).resized) := memory.aw.addr)
  when(memory.w.fire)(beat := beat + 1)
  assert(!memory.w.fire || waiting =/= 0, "data follow their address")
  assert(!memory.w.fire || memory.w.last === beat.andR, "the last beat of a burst")

  // The beat of the watched entry.
  private val inBurst = log2Up(config.ofBurst)
  private val position = place.take(config.countBits).asUInt
  private val number = (U(table, config.roundBits bits) @@ place.msb.asUInt) * config.bursts + (position >> inBurst)
  private val address = (number << log2Up(Granule.beat * config.beats)).resize(config.memoryBits)
  private val here = memory.w.fire && sent && addresses(0) === address && beat === position(1, 1 bits)
  private val part = memory.w.data.subdivideIn(SolverConfig.entryBits bits)(position(0, 1 bits))
  val written = RegInit(False) setWhen here
  assert(!here || part(0), "an entry is in its place")
  assert(!here || !written, "a place is written once")
  assert(!(finished && !dut.io.busy && sent) || written, "every entry is in the memory")
}

/** In the first cycles after a reset: two entries of a bucket with the same key become one pair, others none.
  *
  * Any two entries are watched; each is marked with a bit of its own. Buckets, keys and times are free.
  */
class BucketPairsProof(length: Int) extends Component with Proof {
  override def cycles: Option[Int] = Some(length)
  private val config = SolverConfig("equihash_48_5", bucketBits = 7, memoryBits = 20, beats = 8)
  private val most = 3 // entries of a bucket
  val dut = new BucketPairs(config)
  private val first = RegNext(False) init True
  dut.io.clear := first
  dut.io.stop := False

  val start = freeSource(dut.io.start)
  val buckets = Reg(UInt(config.bucketBits bits)) init 0 // those that were started
  assume(!(start.valid && first))
  assume(start.table === 0 && start.bucket === buckets && start.count =/= 0 && start.count <= most)
  when(start.fire)(buckets := buckets + 1)

  // Beats: entries of which only the key and the marks are free.
  val keys = in(Bits(SolverConfig.ofBeat bits))
  val marks = in(Vec(Bits(2 bits), SolverConfig.ofBeat))
  val arriving = in(Bool())
  dut.io.beats.valid := arriving
  private val group = config.params.collisionBits
  dut.io.beats.payload := Cat((0 until SolverConfig.ofBeat).map { i =>
    val entry = Entry(config)
    entry.reference := 0
    entry.string := B(0, config.bucketBits bits) ## keys(i) ## B(0, config.params.n - group - 2 bits) ## marks(i)
    entry.asBits.resize(SolverConfig.entryBits)
  })
  private val load = dut.load
  private val stored = load.fire.pull()
  private val entry = load.entry.pull()
  private val mark = entry.string.takeLow(2)
  val sent = Reg(Bits(2 bits)) init 0
  assume(!stored || (mark & sent) === 0 && mark =/= 3)
  private val places = Vec.fill(2)(Reg(UInt(config.bucketBits + 1 bits)) init 0)
  when(stored) {
    sent := sent | mark
    for (i <- 0 until 2) when(mark(i))(places(i) := dut.job.pull().bucket @@ entry.key.resize(1))
  }
  private val alike = sent.andR && places(0) === places(1)

  val pairs = freeSink(dut.io.pairs)
  val found = Reg(UInt(2 bits)) init 0
  when(pairs.fire && pairs.string.drop(group).takeLow(2) === 3 && !found.msb)(found := found + 1)
  assert(found <= alike.asUInt, "no pair of entries that differ, and no pair twice")
  private val calm = !dut.io.busy && dut.io.empty && !first
  assert(!calm || found === alike.asUInt.resized, "every pair is made")
  private val queues = Seq(dut.begun.io.push, dut.walk.returned.io.push, dut.queue.io.push)
  for (push <- queues) assert(!push.valid.pull() || push.ready.pull(), "a queue has space for what enters it")
}
