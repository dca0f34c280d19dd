package proofmill.micro

import proofmill.field.{Arithmetic, Canonical}
import spinal.core._
import spinal.lib._

/** Converts reduced residues of contexts into canonical integers, one at a time, each with its destination. Each context has
  * at most one residue in the queue.
  *
  * While the unit is idle the oldest waiting context is granted; one cycle later its residue is read.
  */
class CanonicalQueue(arithmetic: Arithmetic, contexts: Int) extends Component {
  private val unit = new Canonical(CanonicalQueue.residue(arithmetic))
  private val places = WordFormat.linear("dst").bits

  val io = new Bundle {
    val request = slave(Flow(CanonicalRequest(contexts, widthOf(unit.io.in.payload), places))) // residues to convert
    val fromOldest = in(Bits(contexts bits)) // the contexts whose index is at or above that of the oldest one
    val answer = master(Flow(CanonicalAnswer(contexts, arithmetic.field.bits, places))) // canonical integers
  }

  private val residues = Mem(cloneOf(io.request.residue), contexts)
  private val destinations = Mem(UInt(places bits), contexts)
  private val waiting = Reg(Bits(contexts bits)) init 0
  residues.write(io.request.context, io.request.residue, io.request.valid)
  destinations.write(io.request.context, io.request.place, io.request.valid)

  private val take = RegInit(False)
  private val choice = new Choice(contexts)
  choice.io.ready := waiting
  choice.io.later := waiting & io.fromOldest
  private val chosen = RegNextWhen(choice.io.chosen, !take) init 0
  private val chosenContext = OHToUInt(chosen)
  take := unit.io.in.ready && !take && waiting.orR
  waiting := (waiting & ~chosen.andMask(take)) | UIntToOh(io.request.context, contexts).andMask(io.request.valid)

  unit.io.in.valid := take
  unit.io.in.payload := residues.readAsync(chosenContext)
  private val context = RegNextWhen(chosenContext, take)

  unit.io.out.ready := True
  io.answer.valid := unit.io.out.valid
  io.answer.context := context
  io.answer.place := destinations.readAsync(context)
  io.answer.value := unit.io.out.payload.resized
}

object CanonicalQueue {
  private def residue(arithmetic: Arithmetic) = arithmetic.port("residue", arithmetic.reduced)

  /** Returns the cycles from the grant of a residue to its canonical integer. */
  def latency(arithmetic: Arithmetic): Int = 1 + Canonical.cycles(residue(arithmetic))
}

case class CanonicalRequest(contexts: Int, residueBits: Int, placeBits: Int) extends Bundle {
  val context = UInt(log2Up(contexts) bits)
  val residue = Bits(residueBits bits)
  val place = UInt(placeBits bits)
}

case class CanonicalAnswer(contexts: Int, bits: Int, placeBits: Int) extends Bundle {
  val context = UInt(log2Up(contexts) bits)
  val value = Bits(bits bits)
  val place = UInt(placeBits bits)
}
