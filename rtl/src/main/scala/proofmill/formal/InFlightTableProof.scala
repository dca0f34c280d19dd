package proofmill.formal

import proofmill.engine.coprocessor.{InFlight, InFlightTable, SlotRange}
import spinal.core._
import spinal.lib._

/** Proof of the coprocessor's table of instructions in flight: entries leave in the order of their issue with their own
  * data, and an instruction has a hazard exactly if it conflicts with an entry.
  *
  * Any single entry is watched, from its issue to its retirement. The reference computes conflicts on sets of slots, one bit
  * for each slot. The executor issues only while the table is not full, and retires only while it is not empty. The
  * instruction checker ensures that ranges end within the memory.
  *
  * The proof is bounded: in its cycles, the entries go several times around the ring.
  */
class InFlightTableProof(contexts: Int, log2: Int, tables: Int) extends Component with Proof {
  override def cycles: Option[Int] = Some(3 * contexts)
  val dut = new InFlightTable(contexts, log2, log2Instructions = 1, tables)
  val issue = freeInput(dut.io.issue)
  val elapsed = freeInput(dut.io.elapsed)
  val ended = freeInput(dut.io.ended)
  val retire = freeInput(dut.io.retire)
  val operands = freeInput(dut.io.operands)
  val results = freeInput(dut.io.results)
  private def oldest = dut.io.oldest

  private val slots = 1 << log2
  private def isInside(range: SlotRange): Bool = range.from +^ range.count <= slots
  assume(!issue.valid || !dut.io.full)
  assume(!retire || dut.io.any)
  for (range <- operands :+ results) assume(isInside(range))
  for (range <- Seq(issue.instruction.results, issue.instruction.point))
    assume(!issue.valid || (isInside(range) && range.count =/= 0))

  // The number of entries.
  val count = Reg(UInt(log2Up(contexts + 1) bits)) init 0
  count := count + U(issue.valid) - U(retire)
  assert(dut.io.any === (count =/= 0), "any entry")
  assert(dut.io.full === (count === contexts), "full")
  assert(dut.io.allTablesUsed === (count >= tables), "all tables are used")

  // The watched entry.
  val pick = in(Bool())
  val watched = Reg(InFlight(log2, 1))
  val context = Reg(UInt(log2Up(contexts) bits))
  val inside, hasEnded = RegInit(False)
  val table = Reg(UInt(log2Up(tables) bits))
  val ahead = Reg(UInt(log2Up(contexts) bits)) init 0 // entries that leave before it
  val age = Reg(UInt(32 bits))
  private val enters = issue.valid && pick && !inside
  private val isOldest = inside && ahead === 0
  age := age + 1
  when(inside && retire)(ahead := ahead - 1)
  when(inside && ended(context))(hasEnded := True)
  when(isOldest && retire)(inside := False)
  when(enters) {
    watched := issue.instruction
    context := issue.context
    inside := True
    hasEnded := False
    table := dut.io.nextTable
    ahead := (count - U(retire)).resized
    age := elapsed + 1
  }
  assert(!isOldest || oldest.instruction.asBits === watched.asBits, "the oldest instruction")
  assert(!isOldest || oldest.cycles === age, "its cycles")
  assert(!isOldest || dut.io.oldestEnded === hasEnded, "its job has ended")
  assert(!isOldest || dut.io.oldestTable === table, "its table")
  assert(!inside || dut.io.allTablesUsed || dut.io.nextTable =/= table, "a table serves one entry")

  // Hazards, registered.
  private def slotsOf(range: SlotRange): Bits =
    Cat((0 until slots).map(slot => range.from <= slot && U(slot, log2 + 1 bits) < range.from +^ range.count))
  private val afterWrite = (operands.map(slotsOf).reduce(_ | _) & slotsOf(watched.results)).orR
  private val afterRead = (slotsOf(results) & slotsOf(watched.point)).orR || slotsOf(results)(watched.scalar)
  private val conflict = afterWrite || watched.rereads && afterRead
  assert(!(RegNext(inside && conflict) init False) || dut.io.hazard, "a conflict is a hazard")
  assert(
    !(RegNext(inside && count === 1 && !conflict) init False) || !dut.io.hazard,
    "an instruction without a conflict has no hazard"
  )
  assert(!(RegNext(count === 0) init False) || !dut.io.hazard, "an empty table has no hazard")

  // Invariants that shorten the proof: the entries are contiguous in the ring, and the watched one is at its index.
  private val head = dut.head.pull()
  private val index = head + ahead
  assert(dut.tail.pull() === head + count.resized, "the ring's ends")
  for (i <- 0 until contexts)
    assert(dut.valid(i).pull() === (U(i, log2Up(contexts) bits) - head < count), "entries are contiguous")
  assert(!inside || ahead < count, "the watched entry is in the ring")
  assert(!inside || Vec(dut.entries.map(_.pull()))(index).asBits === context.asBits ## watched.asBits, "its content")
  assert(!inside || Vec(dut.ended.map(_.pull()))(index) === hasEnded, "its end")
  assert(!inside || dut.clock.pull() - Vec(dut.began.map(_.pull()))(index) === age, "its begin")
  assert(!inside || index.resize(table.getWidth) === table, "its table is its index")
  private val ends = Vec(dut.ends.map(_.pull()))(index)
  assert(!inside || ends.results === (watched.results.from +^ watched.results.count).resized, "the end of its results")
  assert(!inside || ends.scalar === (watched.scalar +^ U(1, 1 bits)).resized, "the end of its scalar")
  assert(!inside || ends.point === (watched.point.from +^ watched.point.count).resized, "the end of its point")
  assert(!inside || isInside(watched.results) && watched.results.count =/= 0, "its results are in the memory")
  assert(!inside || isInside(watched.point) && watched.point.count =/= 0, "its point is in the memory")
}
