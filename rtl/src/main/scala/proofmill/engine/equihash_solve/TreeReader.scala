package proofmill.engine.equihash_solve

import proofmill.engine.{Granule, ReadJob}
import spinal.core._
import spinal.lib._

/** Reads the leaves of a candidate from left to right: an entry of table r > 0 has its parents in table r - 1.
  *
  * Entries are read one at a time, the first parent before the second one, which waits in a register for each table.
  *
  * | state   | action                                                       | next                               |
  * |:--------|:-------------------------------------------------------------|:-----------------------------------|
  * | Idle    | waits for `start`                                            | Address                            |
  * | Address | computes the address of the entry                            | Request                            |
  * | Request | starts the reader                                            | Receive                            |
  * | Receive | registers the entry                                          | Use                                |
  * | Use     | to the first parent; from a leaf, to the parent of the lowest table that waits | Address, at last Idle |
  */
class TreeReader(config: SolverConfig) extends Component {
  import config.{bucketBits, memoryBits, positionBits, rounds}
  val io = new Bundle {
    val start =
      slave(Flow(Parents(config))) // a pulse starts a candidate, only while not busy: both parents, in the last table
    val read = master(Flow(ReadJob(memoryBits))) // a beat
    val beats = slave(Stream(Bits(8 * Granule.beat bits))) // that beat
    val leaf = master(Flow(UInt(config.leafBits bits))) // its 2^k leaves
    val busy = out(Bool()) // level from the cycle after a pulse on: leaves are missing
  }
  object State extends SpinalEnum {
    val Idle, Address, Request, Receive, Use = newElement()
  }
  val state = RegInit(State.Idle)
  val slot = Reg(Slot(config)) // the entry being read
  val later = Vec.fill(rounds)(Reg(Parents(config))) // for each table: its second parent waits
  val waits = Reg(Bits(rounds bits)) init 0
  val base = RegNext(EntryAddress.of(config, slot.table, slot.bucket))
  val entry = Reg(Entry(config))
  private val part = slot.position.take(log2Up(SolverConfig.ofBeat)).asUInt

  io.busy := state =/= State.Idle
  io.read.valid := state === State.Request
  io.read.address := base + ((slot.position >> log2Up(SolverConfig.ofBeat)) << log2Up(Granule.beat)).resized
  io.read.beats := 1
  io.read.repeats := 1
  io.beats.ready := state === State.Receive
  io.leaf.valid := state === State.Use && slot.table === 0
  io.leaf.payload := entry.reference.takeLow(config.leafBits).asUInt

  private def visit(table: UInt, parents: Parents, second: Boolean): Unit = {
    slot.table := table
    slot.bucket := parents.bucket
    slot.position := (if (second) parents.second else parents.first)
    state := State.Address
  }

  /** To the first parent; the second one waits. */
  private def enter(table: UInt, parents: Parents): Unit = {
    visit(table, parents, second = false)
    later(table.resize(log2Up(rounds))) := parents
    waits(table.resize(log2Up(rounds))) := True
  }
  switch(state) {
    is(State.Idle)(when(io.start.valid)(enter(U(rounds - 1, config.roundBits bits), io.start.payload)))
    is(State.Address)(state := State.Request)
    is(State.Request)(state := State.Receive)
    is(State.Receive)(when(io.beats.valid) {
      entry := Entry.fromMemory(config, io.beats.payload.subdivideIn(SolverConfig.entryBits bits)(part))
      state := State.Use
    })
    is(State.Use) {
      when(slot.table =/= 0)(enter(slot.table - 1, entry.parents)) otherwise {
        val lowest = OHMasking.first(waits)
        waits := waits & ~lowest
        when(waits.orR)(visit(OHToUInt(lowest).resized, MuxOH(lowest, later), second = true)) otherwise {
          state := State.Idle
        }
      }
    }
  }
}
