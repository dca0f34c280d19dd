package proofmill.pairing

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

/** One context: the place in its program, and when its next word may begin.
  *
  * `info` is of the next word, `following` of the one after it. A word brings the info of the word after the next one, so that a word can
  * begin in every cycle though its fetch takes one. Behind a block's last word nothing is known: its control names the next
  * block's header, which brings the info of the first two words.
  *
  *   1. The word is chosen; the address goes on, and what follows moves up.
  *   2. A cycle later it is there: `fetched`. Its info is `following`, or already `info` if the next word has been chosen meanwhile.
  *   3. Control and header set all of it anew.
  */
class Context(addressBits: Int) extends Component {
  val io = new Bundle {
    val start = slave(Flow(UInt(addressBits bits)))
    val chosen = in(Bool())
    val fetched = in(Bits(Layout.bits bits)) // a cycle after `chosen`
    val inverse = in(Bool()) // what is waited for is there
    val dismissed = in(Bool()) // the job ends where it waits
    val answered = in(Bool())
    val ready = out(Bool())
    val info = out(Info())
    val address = out(UInt(addressBits bits))
    val over = out(Bool())
  }
  private val levels = 4
  private val live, ending, waiting = RegInit(False)
  private val info, following = Reg(Info())
  private val gap = Reg(UInt(Layout.fields("drain").bits bits))
  private val address = Reg(UInt(addressBits bits))
  private val stack = Vec(Seq.fill(levels)(Reg(UInt(addressBits bits))))
  private val count = Reg(UInt(Layout.fields("count").bits bits))

  private val isThrough = RegNext(gap.getAheadValue() === 0) // the gap
  io.ready := live && isThrough
  io.info := info
  io.address := address
  io.over := ending && isThrough

  private val arrives = RegNext(io.chosen, init = False)
  private val word = io.fetched
  private val control = Words.number(word, "control")
  private def is(name: String) = arrives && control === Layout.control(name)
  private val brought = Info().of(word, "next")

  when(gap =/= 0)(gap := gap - 1)
  when(arrives)(following := brought)
  when(io.chosen) {
    val next = arrives ? brought | following
    address := address + 1
    info := next
    gap := next.gap.andMask(!info.last).resized // nothing is known of what comes behind a block's last word
    live := !info.last
  }

  private def header(at: UInt): Unit = {
    address := at
    info.mul := False
    info.sum := False
    info.hold := False
    info.last := True
    live := True
  }
  private val isReturn = is("return") || (is("loop") && count === 1)
  private val target = Words.number(word, "target").resize(addressBits)
  when(arrives && control =/= Layout.control("none") && !is("header"))(gap := Words.number(word, "drain"))
  when(is("header")) {
    info.of(word, "first")
    live := True
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
    gap := 0
  }
}
