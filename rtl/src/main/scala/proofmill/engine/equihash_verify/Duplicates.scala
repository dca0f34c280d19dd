package proofmill.engine.equihash_verify

import spinal.core._
import spinal.lib._

/** A FIFO of `depth` + 1 entries with an output register. An entry is visible one cycle after its push. There is no
  * backpressure: the writer counts entries.
  */
class MergeQueue(width: Int, depth: Int) extends Component {
  val io = new Bundle {
    val push = slave(Flow(UInt(width bits))) // entries; never refused
    val pop = master(Stream(UInt(width bits))) // entries, in order
  }
  private val memory = Mem(UInt(width bits), depth)
  private val write, read = Reg(UInt(log2Up(depth) max 1 bits)) init 0
  private val stored = Reg(UInt(log2Up(depth + 1) bits)) init 0
  private val headValid = RegInit(False)
  private val head = Reg(UInt(width bits))

  val free = !headValid || io.pop.ready
  val fromMemory = free && stored =/= 0
  val toMemory = io.push.valid && !(free && stored === 0)
  def next(pointer: UInt): UInt = if (depth == 1) U(0, 1 bits) else pointer + 1
  memory.write(write.resize(memory.addressWidth), io.push.payload, toMemory)
  when(toMemory)(write := next(write))
  when(fromMemory)(read := next(read))
  when(toMemory =/= fromMemory)(stored := toMemory ? (stored + 1) | (stored - 1))
  when(free) {
    headValid := io.push.valid || stored =/= 0
    head := (stored =/= 0) ? memory.readAsync(read.resize(memory.addressWidth), writeFirst) | io.push.payload
  }
  io.pop.valid := headValid
  io.pop.payload := head
}

/** Merges pairs of sorted runs of `run` numbers into sorted runs of twice the length, one number each cycle, continuously.
  *
  * Runs go alternately to the two queues. While a pair is merged the next one arrives, never faster than the merge proceeds.
  * `run` + 1 entries in each queue are therefore enough: when the second run's last number is visible, at most one whole run
  * waits.
  */
class Merge(width: Int, run: Int) extends Component {
  val io = new Bundle {
    val push = slave(Flow(UInt(width bits))) // numbers of sorted runs
    val pop = master(Flow(UInt(width bits))) // numbers of merged runs
  }
  private val countBits = log2Up(run) + 1
  val arrived = Reg(UInt(countBits bits)) init 0 // in this pair; the top bit selects the queue
  when(io.push.valid)(arrived := arrived + 1)

  val queues = Seq.fill(2)(new MergeQueue(width, run))
  val taken = Seq.fill(2)(Reg(UInt(countBits bits)) init 0)
  val exhausted = taken.map(_.msb)
  for ((queue, i) <- queues.zipWithIndex) {
    queue.io.push.payload := io.push.payload
    queue.io.push.valid := io.push.valid && (arrived.msb === Bool(i == 1))
  }
  val heads = queues.map(_.io.pop)
  val firstSmaller = heads(0).payload <= heads(1).payload
  val take = Seq(
    heads(0).valid && !exhausted(0) && (exhausted(1) || (heads(1).valid && firstSmaller)),
    heads(1).valid && !exhausted(1) && (exhausted(0) || (heads(0).valid && !firstSmaller))
  )
  for (i <- 0 until 2) {
    heads(i).ready := take(i)
    when(take(i))(taken(i) := taken(i) + 1)
  }
  val left = Seq.tabulate(2)(i => taken(i) === run - 1 && exhausted(1 - i) && take(i))
  when(left.orR)(taken.foreach(_ := 0))

  io.pop.valid := take.orR
  io.pop.payload := take(0) ? heads(0).payload | heads(1).payload
}

/** Checks whether a number occurs twice among 2^levels numbers. It sorts them and compares neighbours: exact for every input,
  * without state to clear between headers and without overflow, one number each cycle.
  */
class Duplicates(width: Int, levels: Int) extends Component {
  val io = new Bundle {
    val index = slave(Flow(UInt(width bits))) // indices of headers, in order
    val found = master(Flow(Bool())) // one for each header: an index occurs twice
  }
  val sorted = (0 until levels).foldLeft[Flow[UInt]](io.index) { (numbers, level) =>
    val merge = new Merge(width, 1 << level)
    merge.io.push << numbers
    merge.io.pop
  }
  val c = Reg(UInt(levels bits)) init 0
  val before = RegNextWhen(sorted.payload, sorted.valid)
  val found = RegInit(False)
  val foundNow = found || (c =/= 0 && sorted.payload === before)
  when(sorted.valid) {
    c := c + 1
    found := foundNow && !c.andR
  }
  io.found.valid := RegNext(sorted.valid && c.andR, init = False)
  io.found.payload := RegNext(foundNow)
}
