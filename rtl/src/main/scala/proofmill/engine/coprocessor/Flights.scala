package proofmill.engine.coprocessor

import spinal.core._
import spinal.lib._

/** Slots `from` to `from + count - 1`. */
case class SlotRange(log2: Int) extends Bundle {
  val from = UInt(log2 bits)
  val count = UInt(4 bits)
}

/** An instruction that has begun: its slot, where its twelve results go, the context of its job. */
case class Departure(contexts: Int, log2: Int, log2Instructions: Int) extends Bundle {
  val slot = UInt(log2Instructions bits)
  val target = UInt(log2 bits)
  val context = UInt(log2Up(contexts) bits)
}

/** The oldest one, and the cycles since it began. */
case class Arrival(log2: Int, log2Instructions: Int) extends Bundle {
  val slot = UInt(log2Instructions bits)
  val target = UInt(log2 bits)
  val cycles = UInt(32 bits)
}

/** Instructions under way whose results are twelve slots, in their order; as many as there are contexts. */
class Flights(contexts: Int, log2: Int, log2Instructions: Int) extends Component {
  private val results = InstructionSet.coefficients("fp12")
  val io = new Bundle {
    val begin = slave(Flow(Departure(contexts, log2, log2Instructions)))
    val soFar = in(UInt(32 bits)) // its cycles until then
    val over = in(Bits(contexts bits)) // contexts whose jobs have ended
    val end = in(Bool()) // the oldest one is done with
    val oldest = out(Arrival(log2, log2Instructions))
    val any, full, landed = out(Bool()) // landed: the oldest one's job has ended
    val ranges = in(Vec.fill(3)(SlotRange(log2)))
    val clash = out(Bool()) // a range has a slot that one of them writes
  }
  private val entries = Seq.fill(contexts)(Reg(Departure(contexts, log2, log2Instructions)))
  private val began = Seq.fill(contexts)(Reg(UInt(32 bits)))
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
      there(i) := True
      landed(i) := False
    }
  }
  when(io.begin.valid)(tail := tail + 1)
  when(io.end)(head := head + 1)

  private val first = Vec(entries)(head)
  io.oldest.slot := first.slot
  io.oldest.target := first.target
  io.oldest.cycles := clock - Vec(began)(head)
  io.any := there.orR
  io.full := there.andR
  io.landed := there(head) && landed(head)
  private def meet(range: SlotRange, target: UInt) =
    range.count =/= 0 && range.from < (target +^ results) && target < (range.from +^ range.count)
  io.clash := entries.zip(there).map { case (entry, is) =>
    is && io.ranges.map(meet(_, entry.target)).reduce(_ || _)
  }.reduce(_ || _)
}
