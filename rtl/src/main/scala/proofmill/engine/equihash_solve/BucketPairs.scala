package proofmill.engine.equihash_solve

import proofmill.arith.BlockMemory
import spinal.core._
import spinal.lib._

/** A bucket to pair. */
case class BucketJob(config: SolverConfig) extends Bundle {
  val table = UInt(config.roundBits bits)
  val bucket = UInt(config.bucketBits bits)
  val count = UInt(config.countBits bits) // entries, at least 1
}

/** Two entries of a bucket with the same key. */
case class Link(config: SolverConfig) extends Bundle {
  val side = Bool() // of the memories
  val later, earlier = UInt(config.positionBits bits)
}

/** Makes the entries of the next table: the exclusive or of every two entries of a bucket with the same key.
  *
  * {{{
  *   beats ─► entries ─┬─► heads(key) ─► links(position) ─► queue ─► walk ─► ^ ─► queue ─► pairs
  *                     └─► copies of the bucket ────────────────────► ▲ │
  *                                                        links, while any ┘
  * }}}
  * Entries of one key form a list: `heads` has the position of its last entry, `links` that of the entry before each one. An
  * entry that is not the first one of its key begins a walk along the list, which makes a pair in each step. One entry is
  * stored and one step is made in each cycle; several walks are interleaved, so that none waits for a memory.
  *
  * The memories have two sides: a bucket enters while the walks of the bucket before it continue. Near its end a bucket has
  * more steps than entries, near its beginning fewer, and the queue of walks balances them.
  *
  * Heads are marked with the table and the bucket instead of being cleared for each bucket; they are cleared before table 0.
  *
  * A pair of two entries with a parent in common is dropped, since its leaves occur twice; and one whose string is zero, unless
  * it is of the last table, whose pairs are candidates if their string is zero.
  */
class BucketPairs(config: SolverConfig) extends Component {
  import config.{keyBits, params, positionBits, timing}
  private val lag = timing.memory
  val io = new Bundle {
    val stop = in(Bool()) // level: no walk begins or continues
    val clear = in(Bool()) // pulse: clears the heads, only while not busy
    val start = slave(Stream(BucketJob(config))) // a bucket, accepted when there is a side for it
    val beats = slave(Stream(Bits(SolverConfig.ofBeat * SolverConfig.entryBits bits))) // the entries of the buckets
    val pairs = master(Stream(Entry(config))) // entries of the next table; of the last one, candidates
    val busy =
      out(Bool()) // level from the cycle after a pulse on: heads or buckets are not done, except for the last pairs
    val empty = out(Bool()) // level: no pair waits
  }
  val job = Reg(BucketJob(config)) // whose entries are stored
  val buckets = Vec.fill(2)(Reg(UInt(config.bucketBits bits))) // of each side
  val isFirst = Reg(Bool()) // entries are leaves
  val isLast = Reg(Bool()) // pairs are candidates
  val loading = RegInit(False)
  val side = RegInit(False)

  // Heads: a mark, and the position of the last entry with the key.
  private val mark = job.table ## job.bucket
  private val noMark = B((1 << config.roundBits) - 1, config.roundBits bits) ## B(0, config.bucketBits bits)
  val heads = new BlockMemory(mark.getWidth + positionBits, keyBits, timing)
  val clearing = RegInit(False)
  val cleared = Reg(UInt(keyBits bits)) init 0
  when(clearing) {
    cleared := cleared + 1
    when(cleared.andR)(clearing := False)
  }
  when(io.clear)(clearing := True)

  /** Entries from the beats into the memories. */
  val load = new Area {
    val hasSpace = Bool()
    val position = Reg(UInt(config.countBits bits))
    val part = position.take(log2Up(SolverConfig.ofBeat)).asUInt
    val entry = Entry.fromMemory(config, io.beats.payload.subdivideIn(SolverConfig.entryBits bits)(part))
    val last = position === job.count - 1
    val fire = loading && io.beats.valid && hasSpace
    io.beats.ready := loading && hasSpace && (last || part.andR)
    when(fire) {
      position := position + 1
      when(last)(loading := False)
    }
    val at = side ## position.resize(positionBits)

    // The head is replaced in the cycle in which it is read.
    heads.io.read := entry.key
    heads.io.write := clearing || fire
    heads.io.place := clearing ? cleared | entry.key
    heads.io.content := clearing ? (noMark ## B(0, positionBits bits)) | (mark ## position.resize(positionBits))

    // The entry before this one with the same key.
    val valid = History(fire, lag + 1, init = False)
    val hasBefore = valid.last && heads.io.found.drop(positionBits) === mark && !io.stop
    val before = heads.io.found.takeLow(positionBits).asUInt
    val stored = Delay(at.asUInt, lag)
    val moves = valid.tail.orR
  }

  val copies = Seq.fill(2)(new BlockMemory(Entry(config).getBitsWidth, 1 + positionBits, timing))
  for (copy <- copies) {
    copy.io.write := load.fire
    copy.io.place := load.at.asUInt
    copy.io.content := load.entry.asBits
  }
  val links = new BlockMemory(1 + positionBits, 1 + positionBits, timing)
  links.io.write := load.valid.last
  links.io.place := load.stored
  links.io.content := load.hasBefore ## load.before

  val begun = StreamFifo(Link(config), 1 << (positionBits - 2 max 4), forFMax = true) // walks to begin
  begun.io.push.valid := load.hasBefore
  begun.io.push.side := load.stored.msb
  begun.io.push.later := load.stored.resized
  begun.io.push.earlier := load.before
  load.hasSpace := RegNext(begun.io.availability > lag + 3) init False

  /** A step of a walk each cycle: a pair, and the next step. */
  val walk = new Area {
    val hasSpace = Bool()
    val returned = StreamFifo(Link(config), 8, latency = 1)
    val source = StreamArbiterFactory().lowerFirst.noLock.onArgs(returned.io.pop, begun.io.pop)
    source.ready := hasSpace
    val link = source.payload
    val valid = History(source.fire, lag + 1, init = False)
    val at = Delay(link, lag)
    copies(0).io.read := (link.side ## link.later).asUInt
    copies(1).io.read := (link.side ## link.earlier).asUInt
    links.io.read := (link.side ## link.earlier).asUInt
    val continues = valid.last && links.io.found.msb && !io.stop
    returned.io.push.valid := continues
    returned.io.push.side := at.side
    returned.io.push.later := at.later
    returned.io.push.earlier := links.io.found.takeLow(positionBits).asUInt

    /** Walks of each side that have not ended. */
    val open = Vec.tabulate(2) { i =>
      val count = Reg(UInt(1 + positionBits bits)) init 0
      val begins = load.hasBefore && load.stored.msb === Bool(i == 1)
      val ends = valid.last && !continues && at.side === Bool(i == 1)
      count := count + begins.asUInt - ends.asUInt
      count =/= 0
    }
  }

  /** The pair, and whether it is dropped. */
  val pair = new Area {
    val entries = copies.map { copy =>
      val entry = Entry(config)
      entry.assignFromBits(copy.io.found)
      entry
    }
    private val rest = params.n - params.collisionBits
    val string = RegNext(entries.map(_.string).reduce(_ ^ _).takeLow(rest))
    val meet = RegNext(entries(0).parents.meet(entries(1).parents) && !isFirst)
    val parents = Parents(config)
    parents.bucket := buckets(walk.at.side.asUInt)
    parents.first := walk.at.earlier
    parents.second := walk.at.later
    val some = RegNext(Vec(string.subdivideIn(32 bits, strict = false).map(_.orR)))
    val valid = History(walk.valid.last, 4, init = False)

    val next = Entry(config)
    next.string := RegNext(RegNext(string)) ## B(0, params.collisionBits bits)
    next.reference := Delay(parents.asBits, 3).resized
    val isKept = RegNext(!RegNext(meet) && some.orR =/= isLast)
  }
  private val depth = 32
  val queue = StreamFifo(Entry(config), depth, forFMax = true)
  queue.io.push.valid := pair.valid.last && pair.isKept
  queue.io.push.payload := pair.next
  io.pairs << queue.io.pop

  // Pairs in the pipeline and in the queue; a dropped one leaves when it is dropped.
  val held = Reg(UInt(log2Up(depth + 1) bits)) init 0
  held := held + walk.source.fire.asUInt - (pair.valid.last && !pair.isKept).asUInt - io.pairs.fire.asUInt
  walk.hasSpace := !held.msb
  io.empty := held === 0

  // A bucket enters the side whose walks have ended.
  io.start.ready := !loading && !clearing && !load.moves && !walk.open((!side).asUInt)
  when(io.start.fire) {
    job := io.start.payload
    buckets((!side).asUInt) := io.start.bucket
    isFirst := io.start.table === 0
    isLast := io.start.table === config.rounds - 1
    loading := True
    side := !side
    load.position := 0
  }
  io.busy := loading || clearing || load.moves || walk.open.orR
}
