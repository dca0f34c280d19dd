package proofmill.pairing

import proofmill.micro.{Candidate, Choice}
import spinal.core._
import spinal.lib._

/** A word on its way into a unit. */
case class Issue(contexts: Int) extends Bundle {
  val context = UInt(log2Up(contexts) bits)
  val word = Bits(Layout.bits bits)
}

/** The contexts, of which in every cycle one begins a word that needs the multiplier and another one a word that does not; or one a word
  * that needs both units.
  *
  * 1. A job takes the next context of the ring.
  * 2. Of the contexts that are ready the one with the oldest job goes, unless one must go on because the word before said `hold`.
  * 3. Its word is there in the next cycle.
  * 4. After `end` its answer is taken, in the order of the jobs.
  */
class Sequencer(image: Image, contexts: Int) extends Component {
  private val addressBits = log2Up(image.words.size)
  private val indexBits = log2Up(contexts)
  val io = new Bundle {
    val start = slave(Stream(UInt(addressBits bits)))
    val startContext = out(UInt(indexBits bits))
    val mul, sum = master(Flow(Issue(contexts)))
    val inverse, dismissed = in(Bits(contexts bits))
    val answered = master(Event)
    val idle = out(Bool())
    val over = out(Bits(contexts bits)) // whose jobs have ended and are not answered
  }
  private val program = Mem(Bits(Layout.bits bits), image.words.map(B(_, Layout.bits bits)))
  private val oldest, free = Reg(UInt(indexBits bits)) init 0
  private val nextOldest = io.answered.fire ? (oldest + 1) | oldest
  oldest := nextOldest
  private val fromNext = RegNext(Choice.from(nextOldest + 1, contexts)) init Choice.constant(1, contexts)
  private val fromOldest = Reg(Bits(contexts bits)) init Choice.constant(0, contexts)
  private val nextFromOldest = io.answered.fire ? fromNext | fromOldest // later than both
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

  private def address(chosen: Bits) = MuxOH.or(chosen, all.map(_.io.address.asBits)).asUInt
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
    context.io.chosen := mul(i) || sum(i)
    context.io.fromOldest := nextFromOldest(i)
    context.io.fetched := fromMul(i) ? mulWord | sumWord
    context.io.inverse := io.inverse(i)
    context.io.dismissed := io.dismissed(i)
    context.io.start.valid := io.start.fire && free === i
    context.io.start.payload := io.start.payload
    context.io.answered := io.answered.fire && oldest === i
  }
  io.start.ready := running =/= contexts
  io.idle := running === 0
  io.startContext := free
  io.over := Cat(all.map(_.io.over))
  io.answered.valid := io.over(oldest)
  when(io.start.fire)(free := free + 1)
  when(io.start.fire =/= io.answered.fire)(running := io.start.fire ? (running + 1) | (running - 1))
}
