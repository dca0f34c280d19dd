package proofmill.micro

import spinal.core._
import spinal.lib._

/** A context's request for the arbiter of a unit. */
case class Candidate() extends Bundle {
  val ready = Bool()
  val later = Bool() // and the context's index is at or above that of the oldest one
}

/** The state of a context that the arbiters and the fetch use. */
case class ContextState(addressBits: Int) extends Bundle {
  val word = Bits(WordFormat.bits bits)
  val place, follows = UInt(addressBits bits) // addresses of the word, and of the word after it
  val mul, linear = Candidate()
}

/** Remaining items of each list of a job, and whether the last `take` found one. */
case class ListState(lists: Seq[ItemList]) extends Bundle {
  val left = Vec(lists.map(list => UInt(log2Up(list.items + 1) bits)))
  val found = Bool()
}

/** One hardware context: its word, program counter, loop counter, lists, and counts of its results in flight.
  *
  * A word is ready when at most as many results are in flight as it allows, and, if it reads a list, when the job's items are
  * written.
  */
class Context(addressBits: Int, lists: Seq[ItemList]) extends Component {
  import WordFormat.{linear => field}
  private val counterBits = field("value").bits
  private val waitBits = field("wait_mul").bits

  val io = new Bundle {
    val start = slave(Flow(UInt(addressBits bits))) // a job: the address of its program
    val begins = in(Bool()) // pulse: the ready word is issued
    val fromOldest = in(Bool()) // in the next cycle its index is at or above that of the oldest one

    /** The next word, one cycle later: if a product was issued, and if not. */
    val fetched = in(Vec.fill(2)(Bits(WordFormat.bits bits)))
    val product, sum = in(Bool()) // pulse: a result of the unit can be read
    val settled = in(Bool()) // pulse: a canonical value is available
    val answered = in(Bool()) // pulse: the result was taken
    val flags = in(Bits(WordFormat.flags bits)) // the context's flags, which jumps test
    val fed =
      slave(Flow(Vec(lists.map(list =>
        UInt(log2Up(list.items + 1) bits)
      )))) // all items are written: number of items in each list
    val count = slave(Flow(UInt(counterBits bits))) // of the item taken, two cycles after the issue of its `take`
    val state = out(ContextState(addressBits)) // word, addresses and requests, for the arbiters and the fetch
    val items = out(ListState(lists)) // remaining items of each list; whether the last `take` found one
    val counter = out(UInt(counterBits bits)) // the loop counter
    val over = out(Bool()) // level: the program has ended
  }

  val present, over, exact = RegInit(False) // the word is valid; the program has ended; a canonical value is computed
  private val word = Reg(Bits(WordFormat.bits bits))
  private val next = Reg(UInt(addressBits bits))
  private val counter = Reg(UInt(counterBits bits))
  val products, sums = Reg(UInt(waitBits bits)) init 0 // in flight

  private val now = new Context.Reading(word)

  // Lists: a job's items are valid after `fed`; a `take` from an empty list has no effect.
  val fed = RegInit(False)
  private val left = lists.map(list => Reg(UInt(log2Up(list.items + 1) bits)))
  private val found = RegInit(False)
  // The word after a `take` waits one more cycle: it may be a jump that tests the item's count.
  private val taking = RegInit(False)
  private val arrives, fromLinear = RegInit(False) // the next word arrives; the word before it was not a product

  // The inputs of the arbiters are registers. So all conditions are computed one cycle ahead, for the word that arrives or waits, including the
  // events of the present cycle. The effects of the issued word are not needed: the next word arrives a cycle later.
  private val ahead = new Area {
    val word = arrives ? (fromLinear ? io.fetched(1) | io.fetched(0)) | Context.this.word
    val present = (arrives || Context.this.present) && !io.begins
    val counter = io.count.valid ? io.count.payload | Context.this.counter
    val has = Cat(left.zip(io.fed.payload).map { case (items, size) => (io.fed.valid ? size | items) =/= 0 })
      .resize(WordFormat.lists)

    val reading = new Context.Reading(word)
    import reading._

    val flag = io.flags(part("flag"))
    val jumps = is("jump") &&
      Vec(False, True, flag, !flag)(jump("when")) &&
      (~has & jump("lists").asBits) === 0 &&
      Vec(True, counter === jump("than").resized, counter > jump("than"), False)(jump("test"))
    val asks = if (lists.isEmpty) False else is("take") || ((is("jump") || is("end")) && jump("lists") =/= 0)

    def less(results: UInt, there: Bool): UInt = there ? (results - 1) | results
    val products = less(Context.this.products, io.product)
    val sums = less(Context.this.sums, io.sum)
    val goes = present && products <= part("wait_mul") && sums <= part("wait_lin") &&
      !(exact && !io.settled && part("wait_exact").lsb) && !(asks && !fed && !io.fed.valid) && !taking
  }
  // Properties of the word, registered one cycle ahead, too; the first word is `Context.firstWord`.
  private def known(what: Context.Reading => Bool, first: Boolean): Bool = {
    val is = RegNext(what(ahead.reading))
    when(io.start.valid)(is := Bool(first))
    is
  }
  private val isLinear = known(_.isLinear, first = true)
  private val isCount = known(_.is("count"), first = true)
  private val Seq(isEnd, isSettle, isTake) = Seq("end", "settle", "take").map(name => known(_.is(name), first = false))
  private val makesSum = known(_.makesSum, first = false)

  taking := io.begins && isTake
  arrives := io.begins && !isEnd
  fromLinear := isLinear
  private val jumps = RegNext(ahead.jumps)
  private val follows = RegNext(ahead.jumps ? ahead.reading.part("value").resize(addressBits) | next)
  private def candidate(goes: Bool): Candidate = {
    val candidate = Candidate().setAsReg()
    candidate.ready.init(False)
    candidate.later.init(False)
    candidate.ready := goes
    candidate.later := goes && io.fromOldest
    candidate
  }
  private val mul = candidate(ahead.goes && !ahead.reading.isLinear && !ahead.products.andR)
  private val linear = candidate(ahead.goes && ahead.reading.isLinear && !ahead.sums.andR)

  io.state.word := word
  io.state.place := next - 1
  io.state.follows := follows
  io.state.mul := mul
  io.state.linear := linear
  io.counter := counter
  io.over := over
  io.items.left := Vec(left)
  io.items.found := found

  when(io.begins) {
    present := False
    next := follows + 1
    when(jumps)(counter := counter - now.jump("less"))
    when(isCount)(counter := now.part("value"))
    when(isEnd)(over := True)
    when(isSettle)(exact := True)
    when(isTake) {
      for ((items, i) <- left.zipWithIndex) when(now.part("dst") === i) {
        found := items =/= 0
        when(items =/= 0)(items := items - 1)
      }
    }
  }
  when(io.count.valid)(counter := io.count.payload)
  word := ahead.word
  when(arrives)(present := True)
  when(io.settled)(exact := False)
  when(io.answered)(over := False)
  when(io.fed.valid) {
    fed := True
    for ((items, size) <- left.zip(io.fed.payload)) items := size
  }
  when(io.start.valid) {
    present := True
    fed := False
    next := io.start.payload
    jumps := False
    follows := io.start.payload
    linear.ready := True // the first word has no dependences
    linear.later := io.fromOldest
    word := B(Context.firstWord, WordFormat.bits bits)
  }

  /** Counts the results of a unit that are in flight. */
  private def count(results: UInt, begun: Bool, there: Bool): Unit =
    when(begun =/= there)(results := begun ? (results + 1) | (results - 1))
  count(products, io.begins && !isLinear, io.product)
  count(sums, io.begins && makesSum, io.sum)
}

object Context {
  private val fields = WordFormat.linear

  /** The fields of a word, those of a jump included, and the resources that it uses. */
  private class Reading(word: Bits) {
    def part(name: String): UInt = fields(name).in(word).asUInt
    def jump(name: String): UInt = WordFormat.jump(name).in(word).asUInt
    def isLinear: Bool = fields("unit").in(word).lsb
    def is(operation: String): Bool = isLinear && part("operation") === WordFormat.operation(operation)
    def makesSum: Bool = isLinear && part("operation") <= WordFormat.operation("table")
  }

  /** Returns whether a word writes a register of the bank of sums. */
  def makesSum(word: Bits): Bool = new Reading(word).makesSum

  /** `count 0`, which has no dependences. */
  private val firstWord: BigInt = Seq(
    "wait_mul" -> fields("wait_mul").all,
    "wait_lin" -> fields("wait_lin").all,
    "unit" -> 1,
    "operation" -> WordFormat.operation("count")
  ).map { case (name, value) => fields(name).encode(value) }.sum
}
