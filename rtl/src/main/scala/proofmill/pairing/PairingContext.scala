package proofmill.pairing

import proofmill.micro.Candidate
import spinal.core._
import spinal.lib._

/** The properties of a word that are available before it is fetched: whether it uses the multiplier (`mul`) and the linear
  * unit (`sum`), whether the next word must follow at once (`hold`), whether it ends its block (`last`), and the stall cycles
  * in front of it (`gap`).
  */
case class Info() extends Bundle {
  val mul, sum, hold, last = Bool()
  val gap = UInt(Layout.fields("next_gap").bits bits)

  /** Assigns the word's fields whose names begin with `prefix`. */
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

/** The issue state of a context: whether its next word can issue, and to which units. */
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

/** One hardware context: its program counter, and when its next word can issue.
  *
  * `now.info` describes the next word and `following` the word after it. A fetched word contains the info of the word after
  * the next one, so that a word can issue in every cycle although a fetch takes one cycle. After a block's last word no info
  * is available: its control field names the header of the next block, which contains the info of its first two words.
  *
  *   1. Issue: the word is selected, the address is incremented, and `following` becomes `now.info`.
  *   2. Fetch: one cycle later the word arrives in `fetched`. Its info becomes `following`, or `now.info` if the next word
  *      has been selected meanwhile.
  *   3. Control and header words overwrite all of it.
  *
  * The inputs of the selection are registers. They are computed one cycle ahead, for both cases: the word is selected or not.
  */
class PairingContext(addressBits: Int) extends Component {
  val io = new Bundle {
    val start = slave(Flow(UInt(addressBits bits))) // a job: the address of its program
    val issued = in(Bool()) // pulse: the ready word is issued
    val fromOldest = in(Bool()) // in the next cycle its index is at or above that of the oldest job
    val fetched = in(Bits(Layout.bits bits)) // the word, valid in the cycle after `issued`
    val inverse = in(Bool()) // level: the awaited inverse is written
    val cancelled = in(Bool()) // level: the job ends at its wait
    val retired = in(Bool()) // pulse: the ended job is retired
    val mul, other = out(Candidate()) // requests to issue a word that uses the multiplier, or one that does not
    val info = out(Info()) // of the next word
    val address = out(UInt(addressBits bits)) // of the next word
    val ended = out(Bool()) // level: the job has ended
  }
  private val levels = 4
  private val ending, waiting = RegInit(False)
  private val now = Reg(Waiting())
  now.live.init(False)
  private val following = Reg(Info())
  private val address = Reg(UInt(addressBits bits))
  private val stack = Vec(Seq.fill(levels)(Reg(UInt(addressBits bits))))
  private val count = Reg(UInt(Layout.fields("count").bits bits))

  private val arrives = RegNext(io.issued, init = False)
  private val word = io.fetched
  private val control = Words.number(word, "control")
  private def is(name: String) = arrives && control === Layout.control(name)
  private val brought = Info().of(word, "next")
  when(arrives)(following := brought)

  // The next state if the word is selected. After a block's last word no info is available.
  private val gone = Waiting()
  gone.info := arrives ? brought | following
  gone.gap := gone.info.gap.andMask(!now.info.last).resized
  gone.live := !now.info.last
  when(io.issued)(address := address + 1)

  // The next state if the word is not selected.
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
  when(waiting && io.cancelled) {
    waiting := False
    ending := True
  }
  when(io.retired)(ending := False)
  when(io.start.valid) {
    header(io.start.payload)
    stays.gap := 0
  }

  now := io.issued ? gone | stays
  private def next(of: Waiting => Bool): Bool = io.issued ? of(gone) | of(stays)
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
  private val isThrough = RegNext(next(_.gap === 0)) // the gap has elapsed
  io.info := now.info
  io.address := address
  io.ended := ending && isThrough
}
