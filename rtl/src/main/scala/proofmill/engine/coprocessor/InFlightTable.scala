package proofmill.engine.coprocessor

import spinal.core._
import spinal.lib._

/** Slots `from` to `from + count - 1`. */
case class SlotRange(log2: Int) extends Bundle {
  val from = UInt(log2 bits)
  val count = UInt(ShapeOf.countBits bits)
}

/** An instruction in flight.
  *
  * One that `rereads` its operands needs them until it retires: a multiple may be executed again, and lines are read one after the other.
  */
case class InFlight(log2: Int, log2Instructions: Int) extends Bundle {
  val slot = UInt(log2Instructions bits) // of instruction memory
  val results = SlotRange(log2)
  val isMultiple, inG2 = Bool()
  val rereads = Bool()
  val scalar = UInt(log2 bits) // slot of a multiple's scalar
  val point = SlotRange(log2) // a multiple's point, or lines
}

/** An instruction that is issued, and the context of its job. */
case class InFlightIssue(contexts: Int, log2: Int, log2Instructions: Int) extends Bundle {
  val instruction = InFlight(log2, log2Instructions)
  val context = UInt(log2Up(contexts) bits)
}

/** The oldest instruction, and the cycles since it began. */
case class OldestInFlight(log2: Int, log2Instructions: Int) extends Bundle {
  val instruction = InFlight(log2, log2Instructions)
  val cycles = UInt(32 bits)
}

/** Instructions in flight, in program order, and the hazard check against them.
  *
  * A ring of `contexts` entries. An entry is valid from its issue to its retirement, and `ended` after its context's job has ended. With at
  * most `tables` entries, each has a table of its own.
  *
  * An instruction has a hazard with an entry if one of its operands, the destination included, overlaps the entry's results (read after
  * write, write after write), or if its results overlap an operand that the entry rereads (write after read).
  */
class InFlightTable(contexts: Int, log2: Int, log2Instructions: Int, tables: Int) extends Component {
  val io = new Bundle {

    /** A new entry. */
    val issue = slave(Flow(InFlightIssue(contexts, log2, log2Instructions)))
    val elapsed = in(UInt(32 bits)) // cycles that the instruction of `issue` has taken so far

    /** Levels: a bit per context whose job has ended. */
    val ended = in(Bits(contexts bits))

    /** A pulse that removes the oldest entry. */
    val retire = in(Bool())

    /** The oldest entry; valid with `any`. */
    val oldest = out(OldestInFlight(log2, log2Instructions))
    val any, full, oldestEnded = out(Bool()) // levels: an entry is valid; all are; the oldest one's job has ended

    /** Level: all tables are in use. */
    val allTablesUsed = out(Bool())
    val nextTable, oldestTable = out(UInt(log2Up(tables) bits)) // the tables of the next entry and of the oldest one

    /** The operands of the next instruction, destination included. */
    val operands = in(Vec.fill(3)(SlotRange(log2)))
    val results = in(SlotRange(log2)) // the slots that the next instruction writes
    val hazard = out(Bool()) // level: it has a hazard with an entry; one cycle after `operands` and `results`
  }
  val entries = Seq.fill(contexts)(Reg(InFlightIssue(contexts, log2, log2Instructions)))
  val began = Seq.fill(contexts)(Reg(UInt(32 bits)))
  val ends = Seq.fill(contexts)(Reg(RangeEnds(log2)))
  val valid, ended = Vec(Seq.fill(contexts)(RegInit(False)))
  val head, tail = Reg(UInt(log2Up(contexts) bits)) init 0
  val clock = Reg(UInt(32 bits)) init 0
  clock := clock + 1

  for ((entry, i) <- entries.zipWithIndex) {
    when(valid(i) && io.ended(entry.context))(ended(i) := True)
    when(io.retire && head === i)(valid(i) := False)
    when(io.issue.valid && tail === i) {
      entry := io.issue.payload
      began(i) := clock - io.elapsed
      ends(i) := RangeEnds.of(io.issue.payload.instruction)
      valid(i) := True
      ended(i) := False
    }
  }
  when(io.issue.valid)(tail := tail + 1)
  when(io.retire)(head := head + 1)

  io.oldest.instruction := Vec(entries)(head).instruction
  io.oldest.cycles := clock - Vec(began)(head)
  io.any := valid.orR
  io.full := valid.andR
  io.oldestEnded := valid(head) && ended(head)
  io.allTablesUsed := CountOne(valid.asBits) >= tables
  io.nextTable := tail.resized
  io.oldestTable := head.resized
  private def overlap(range: SlotRange, from: UInt, end: UInt) =
    range.count =/= 0 && range.from < end && from < (range.from +^ range.count)
  private def hasHazard(entry: InFlight, ends: RangeEnds) = {
    val afterWrite = io.operands.map(overlap(_, entry.results.from, ends.results)).reduce(_ || _)
    val afterRead = overlap(io.results, entry.scalar, ends.scalar) || overlap(io.results, entry.point.from, ends.point)
    afterWrite || entry.rereads && afterRead
  }
  io.hazard := entries.zip(ends).zip(valid).map { case ((entry, ends), valid) =>
    RegNext(valid && hasHazard(entry.instruction, ends))
  }.orR
}

/** The slots after the ranges of an instruction in flight. */
case class RangeEnds(log2: Int) extends Bundle {
  val results, scalar, point = UInt(log2 + 1 bits)
}

private object RangeEnds {
  def of(instruction: InFlight): RangeEnds = {
    val ends = RangeEnds(instruction.log2)
    ends.results := (instruction.results.from +^ instruction.results.count).resized
    ends.scalar := instruction.scalar +^ U(1, 1 bits)
    ends.point := (instruction.point.from +^ instruction.point.count).resized
    ends
  }
}
