package proofmill.pairing

import proofmill.micro.Candidate
import spinal.core._
import spinal.lib._

/** What is known of a word before it is fetched. */
case class Info() extends Bundle {
  val mul, sum, hold, last = Bool()
  val gap = UInt(Layout.fields("next_gap").bits bits)

  /** From the word's fields that begin with `prefix`. */
  def of(word: Bits, prefix: String): Info = {
    mul := Words.flag(word, s"${prefix}_mul")
    sum := Words.flag(word, s"${prefix}_sum")
    hold := Words.flag(word, s"${prefix}_hold")
    last := Words.flag(word, s"${prefix}_last")
    gap := Words.number(word, s"${prefix}_gap")
    this
  }
}

/** Fields of a word in hardware. */
object Words {
  def number(word: Bits, name: String): UInt = {
    val field = Layout.fields(name)
    word(field.at, field.bits bits).asUInt
  }
  def flag(word: Bits, name: String): Bool = word(Layout.fields(name).at)
}

/** Whether a context's next word may begin, and for which units. */
case class Waiting() extends Bundle {
  val live = Bool()
  val info = Info()
  val gap = UInt(Layout.fields("drain").bits bits)

  def ready: Bool = live && gap === 0
  def isHeader(): Unit = {
    info.mul := False
    info.sum := False
    info.hold := False
    info.last := True
    live := True
  }
}

/** One context: the place in its program, and when its next word may begin.
  *
  * `now.info` is of the next word, `following` of the one after it. A word brings the info of the word after the next one, so that a word can
  * begin in every cycle though its fetch takes one. Behind a block's last word nothing is known: its control names the next
  * block's header, which brings the info of the first two words.
  *
  *   1. The word is chosen; the address goes on, and what follows moves up.
  *   2. A cycle later it is there: `fetched`. Its info is `following`, or already `now.info` if the next word has been chosen meanwhile.
  *   3. Control and header set all of it anew.
  *
  * What the choice looks at stands in registers: it is found out a cycle ahead, for the case that the word is chosen and for the other one.
  */
class PairingContext(addressBits: Int) extends Component {
  val io = new Bundle {
    val start = slave(Flow(UInt(addressBits bits)))
    val chosen = in(Bool())
    val fromOldest = in(Bool()) // in the next cycle its number will be the oldest one's or above
    val fetched = in(Bits(Layout.bits bits)) // a cycle after `chosen`
    val inverse = in(Bool()) // what is waited for is there
    val dismissed = in(Bool()) // the job ends where it waits
    val answered = in(Bool())
    val mul, other = out(Candidate()) // for a word that needs the multiplier, or for one that does not
    val info = out(Info())
    val address = out(UInt(addressBits bits))
    val over = out(Bool())
  }
  private val levels = 4
  private val ending, waiting = RegInit(False)
  private val now = Reg(Waiting())
  now.live.init(False)
  private val following = Reg(Info())
  private val address = Reg(UInt(addressBits bits))
  private val stack = Vec(Seq.fill(levels)(Reg(UInt(addressBits bits))))
  private val count = Reg(UInt(Layout.fields("count").bits bits))

  private val arrives = RegNext(io.chosen, init = False)
  private val word = io.fetched
  private val control = Words.number(word, "control")
  private def is(name: String) = arrives && control === Layout.control(name)
  private val brought = Info().of(word, "next")
  when(arrives)(following := brought)

  // If the word is chosen; nothing is known of what comes behind a block's last word.
  private val gone = Waiting()
  gone.info := arrives ? brought | following
  gone.gap := gone.info.gap.andMask(!now.info.last).resized
  gone.live := !now.info.last
  when(io.chosen)(address := address + 1)

  // If it is not.
  private val stays = CombInit(now)
  when(now.gap =/= 0)(stays.gap := now.gap - 1)
  private def header(at: UInt): Unit = {
    address := at
    stays.isHeader()
  }
  private val isReturn = is("return") || (is("loop") && count === 1)
  private val target = Words.number(word, "target").resize(addressBits)
  when(arrives && control =/= Layout.control("none") && !is("header"))(stays.gap := Words.number(word, "drain"))
  when(is("header")) {
    stays.info.of(word, "first")
    stays.live := True
  }
  when(is("go") || is("call")) {
    header(target)
    count := Words.number(word, "count")
  }
  when(is("call")) {
    for (i <- 1 until levels) stack(i) := stack(i - 1)
    stack(0) := address
  }
  when(is("loop")) {
    header(target)
    count := count - 1
  }
  when(isReturn) {
    header(stack(0))
    for (i <- 1 until levels) stack(i - 1) := stack(i)
  }
  when(is("wait"))(waiting := True)
  when(waiting && io.inverse) {
    waiting := False
    header(address)
  }
  when(is("end"))(ending := True)
  when(waiting && io.dismissed) {
    waiting := False
    ending := True
  }
  when(io.answered)(ending := False)
  when(io.start.valid) {
    header(io.start.payload)
    stays.gap := 0
  }

  now := io.chosen ? gone | stays
  private def next(of: Waiting => Bool): Bool = io.chosen ? of(gone) | of(stays)
  private def candidate(of: Waiting => Bool): Candidate = {
    val candidate = Candidate().setAsReg()
    candidate.ready.init(False)
    candidate.later.init(False)
    candidate.ready := next(of)
    candidate.later := next(state => of(state) && io.fromOldest)
    candidate
  }
  io.mul := candidate(state => state.ready && state.info.mul)
  io.other := candidate(state => state.ready && !state.info.mul)
  private val isThrough = RegNext(next(_.gap === 0)) // the gap
  io.info := now.info
  io.address := address
  io.over := ending && isThrough
}
