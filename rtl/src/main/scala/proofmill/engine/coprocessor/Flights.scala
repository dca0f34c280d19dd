package proofmill.engine.coprocessor

import spinal.core._
import spinal.lib._

/** Slots `from` to `from + count - 1`. */
case class SlotRange(log2: Int) extends Bundle {
  val from = UInt(log2 bits)
  val count = UInt(ShapeOf.countBits bits)
}

/** An instruction that has begun: its slot, and where its results go. Of one that `rereads` its operands later, they: a multiple of a point may
  * have to be made again, and lines are read when their turn comes.
  */
case class Flight(log2: Int, log2Instructions: Int) extends Bundle {
  val slot = UInt(log2Instructions bits)
  val results = SlotRange(log2)
  val multiple, second = Bool() // second: in G2
  val rereads = Bool()
  val scalar = UInt(log2 bits)
  val point = SlotRange(log2) // or lines
}

/** One that begins, and the context of its job. */
case class Departure(contexts: Int, log2: Int, log2Instructions: Int) extends Bundle {
  val flight = Flight(log2, log2Instructions)
  val context = UInt(log2Up(contexts) bits)
}

/** The oldest one, and the cycles since it began. */
case class Arrival(log2: Int, log2Instructions: Int) extends Bundle {
  val flight = Flight(log2, log2Instructions)
  val cycles = UInt(32 bits)
}

/** Instructions under way, in their order; as many as there are contexts. Of few of them, `few` at most, each has a place of its own. */
class Flights(contexts: Int, log2: Int, log2Instructions: Int, few: Int) extends Component {
  val io = new Bundle {
    val begin = slave(Flow(Departure(contexts, log2, log2Instructions)))
    val soFar = in(UInt(32 bits)) // its cycles until then
    val over = in(Bits(contexts bits)) // contexts whose jobs have ended
    val end = in(Bool()) // the oldest one is done with
    val oldest = out(Arrival(log2, log2Instructions))
    val any, full, landed = out(Bool()) // landed: the oldest one's job has ended
    val crowded = out(Bool()) // there are `few`
    val next, first = out(UInt(log2Up(few) bits)) // the place of one that begins, and of the oldest one
    val ranges = in(Vec.fill(3)(SlotRange(log2)))
    val results = in(SlotRange(log2)) // of one that may begin
    val clash =
      out(
        Bool()
      ) // a cycle later: a range has a slot that one of them writes, or its results one that one of them may still read
  }
  private val entries = Seq.fill(contexts)(Reg(Departure(contexts, log2, log2Instructions)))
  private val began = Seq.fill(contexts)(Reg(UInt(32 bits)))
  private val ends = Seq.fill(contexts)(Reg(Ends(log2)))
  private val there, landed = Vec(Seq.fill(contexts)(RegInit(False)))
  private val head, tail = Reg(UInt(log2Up(contexts) bits)) init 0
  private val clock = Reg(UInt(32 bits)) init 0
  clock := clock + 1

  for ((entry, i) <- entries.zipWithIndex) {
    when(there(i) && io.over(entry.context))(landed(i) := True)
    when(io.end && head === i)(there(i) := False)
    when(io.begin.valid && tail === i) {
      entry := io.begin.payload
      began(i) := clock - io.soFar
      ends(i) := Ends.of(io.begin.payload.flight)
      there(i) := True
      landed(i) := False
    }
  }
  when(io.begin.valid)(tail := tail + 1)
  when(io.end)(head := head + 1)

  io.oldest.flight := Vec(entries)(head).flight
  io.oldest.cycles := clock - Vec(began)(head)
  io.any := there.orR
  io.full := there.andR
  io.landed := there(head) && landed(head)
  io.crowded := CountOne(there.asBits) >= few
  io.next := tail.resized
  io.first := head.resized
  private def meet(range: SlotRange, from: UInt, end: UInt) =
    range.count =/= 0 && range.from < end && from < (range.from +^ range.count)
  private def clashes(flight: Flight, ends: Ends) = {
    val writes = io.ranges.map(meet(_, flight.results.from, ends.results)).reduce(_ || _)
    val reads = meet(io.results, flight.scalar, ends.scalar) || meet(io.results, flight.point.from, ends.point)
    writes || flight.rereads && reads
  }
  io.clash := entries.zip(ends).zip(there).map { case ((entry, ends), is) =>
    RegNext(is && clashes(entry.flight, ends))
  }.orR
}

/** The slots behind what an instruction writes and reads. */
private case class Ends(log2: Int) extends Bundle {
  val results, scalar, point = UInt(log2 + 1 bits)
}

private object Ends {
  def of(flight: Flight): Ends = {
    val ends = Ends(flight.log2)
    ends.results := (flight.results.from +^ flight.results.count).resized
    ends.scalar := flight.scalar +^ U(1, 1 bits)
    ends.point := (flight.point.from +^ flight.point.count).resized
    ends
  }
}
