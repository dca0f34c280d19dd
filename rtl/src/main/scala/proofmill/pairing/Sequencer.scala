package proofmill.pairing

import proofmill.micro.{Candidate, Choice}
import spinal.core._
import spinal.lib._

/** A word at the input of a unit. */
case class Issue(contexts: Int) extends Bundle {
  val context = UInt(log2Up(contexts) bits)
  val word = Bits(Layout.bits bits)
}

/** The contexts and their issue logic. In each cycle one context issues a word that uses the multiplier, and another one a
  * word that does not; or one context issues a word that uses both units.
  *
  * 1. Start: a job occupies the next context of the ring.
  * 2. Select: the ready context with the oldest job issues, unless the word before has `hold` set for its context.
  * 3. Fetch: the word is read in the next cycle.
  * 4. Retire: after `end`, jobs retire in the order of their start.
  */
class Sequencer(image: Image, contexts: Int) extends Component {
  private val addressBits = log2Up(image.words.size)
  private val indexBits = log2Up(contexts)
  val io = new Bundle {
    val start = slave(Stream(UInt(addressBits bits))) // a job: the address of its program
    val startContext = out(UInt(indexBits bits)) // its context, valid while `start` fires
    val mul, sum = master(Flow(Issue(contexts))) // words issued to the multiplier and to the linear unit
    val inverse, cancelled = in(Bits(contexts bits)) // levels: the awaited inverse is written; the job ends at its wait
    val retired = master(Event) // the oldest job has ended and is retired
    val idle = out(Bool()) // level: no job is in flight
    val ended = out(Bits(contexts bits)) // levels: contexts whose jobs have ended and are not retired
  }
  private val program = Mem(Bits(Layout.bits bits), image.words.map(B(_, Layout.bits bits)))
  private val oldest, free = Reg(UInt(indexBits bits)) init 0
  private val nextOldest = io.retired.fire ? (oldest + 1) | oldest
  oldest := nextOldest
  private val fromNext = RegNext(Choice.from(nextOldest + 1, contexts)) init Choice.constant(1, contexts)
  private val fromOldest = Reg(Bits(contexts bits)) init Choice.constant(0, contexts)
  private val nextFromOldest = io.retired.fire ? fromNext | fromOldest // the selector arrives later than both operands
  fromOldest := nextFromOldest
  private val running = Reg(UInt(log2Up(contexts + 1) bits)) init 0
  private val all = Seq.fill(contexts)(new PairingContext(addressBits))

  private val held = Reg(Bits(contexts bits)) init 0
  private def choose(of: PairingContext => Candidate) =
    Choice.oldest(Cat(all.map(of(_).ready)), Cat(all.map(of(_).later)))
  private val mul = held.orR ? held | choose(_.io.mul)
  private val both = (mul & Cat(all.map(_.io.info.sum))).orR
  private val other = choose(_.io.other)
  private val sum = other.andMask(!both)
  held := mul & Cat(all.map(_.io.info.hold))

  private def address(issued: Bits) = MuxOH.or(issued, all.map(_.io.address.asBits)).asUInt
  private val toSum = both ? mul | other
  private val mulWord = program.readSync(address(mul))
  private val sumWord = program.readSync(both ? address(mul) | address(other))
  private val fromMul = RegNext(mul)
  io.mul.valid := RegNext(mul.orR, init = False)
  io.mul.context := RegNext(OHToUInt(mul))
  io.mul.word := mulWord
  io.sum.valid := RegNext(toSum.orR, init = False)
  io.sum.context := RegNext(OHToUInt(toSum))
  io.sum.word := sumWord

  for ((context, i) <- all.zipWithIndex) {
    context.io.issued := mul(i) || sum(i)
    context.io.fromOldest := nextFromOldest(i)
    context.io.fetched := fromMul(i) ? mulWord | sumWord
    context.io.inverse := io.inverse(i)
    context.io.cancelled := io.cancelled(i)
    context.io.start.valid := io.start.fire && free === i
    context.io.start.payload := io.start.payload
    context.io.retired := io.retired.fire && oldest === i
  }
  io.start.ready := running =/= contexts
  io.idle := running === 0
  io.startContext := free
  io.ended := Cat(all.map(_.io.ended))
  io.retired.valid := io.ended(oldest)
  when(io.start.fire)(free := free + 1)
  when(io.start.fire =/= io.retired.fire)(running := io.start.fire ? (running + 1) | (running - 1))
}
