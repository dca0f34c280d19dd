package proofmill.micro

import spinal.core._
import spinal.lib._

/** Does a context's word wait for a unit's choice? */
case class Candidate() extends Bundle {
  val ready = Bool()
  val later = Bool() // and is its context's number the oldest one's or above
}

/** What stands in a context and is looked at when the next word of each unit is chosen. */
case class ContextState(addressBits: Int) extends Bundle {
  val word = Bits(WordFormat.bits bits)
  val place, follows = UInt(addressBits bits) // where the word stands, and the one after it
  val mul, linear = Candidate()
}

/** How many items of each list a job still has, and whether the last `take` found one. */
case class ListState(lists: Seq[ItemList]) extends Bundle {
  val left = Vec(lists.map(list => UInt(log2Up(list.items + 1) bits)))
  val found = Bool()
}

/** One context: its word, its place in the program, its counter and lists, and its results on their way.
  *
  * A word is ready when at most as many results are on their way as it allows, and its job is fed if it asks a list.
  */
class Context(addressBits: Int, lists: Seq[ItemList]) extends Component {
  import WordFormat.{linear => field}
  private val counterBits = field("value").bits
  private val waitBits = field("wait_mul").bits

  val io = new Bundle {
    val start = slave(Flow(UInt(addressBits bits))) // a job: where its program begins
    val begins = in(Bool()) // pulse: the ready word is issued
    val fromOldest = in(Bool()) // in the next cycle its number will be the oldest one's or above

    /** A cycle later, the word behind it: if it begins a product, and if not. */
    val fetched = in(Vec.fill(2)(Bits(WordFormat.bits bits)))
    val product, sum = in(Bool()) // pulse: a result of the unit can be read
    val settled = in(Bool()) // pulse: a canonical value is available
    val answered = in(Bool()) // pulse: the result was taken
    val flags = in(Bits(WordFormat.flags bits))
    val fed =
      slave(Flow(Vec(lists.map(list => UInt(log2Up(list.items + 1) bits))))) // all lists are written: their sizes
    val count = slave(Flow(UInt(counterBits bits))) // of the item that was taken, two cycles after its `take` began
    val state = out(ContextState(addressBits))
    val items = out(ListState(lists))
    val counter = out(UInt(counterBits bits))
    val over = out(Bool()) // level: the program has ended
  }

  val present, over, exact = RegInit(False) // the word is there; the program is over; a canonical value is made
  private val word = Reg(Bits(WordFormat.bits bits))
  private val next = Reg(UInt(addressBits bits))
  private val counter = Reg(UInt(counterBits bits))
  val products, sums = Reg(UInt(waitBits bits)) init 0 // in flight

  private val now = new Context.Reading(word)

  // Lists: a job's items are there once it is fed; of an empty list nothing is taken.
  val fed = RegInit(False)
  private val left = lists.map(list => Reg(UInt(log2Up(list.items + 1) bits)))
  private val found = RegInit(False)
  // The word after a `take` waits a cycle more: it may be a jump that asks the item's count.
  private val taking = RegInit(False)
  private val arrives, fromLinear = RegInit(False) // the next word, and behind which one

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
  // What the word is, found out a cycle ahead, too; at first it is `Context.firstWord`.
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
    linear.ready := True // the first word waits for nothing
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

  /** The fields of a word, those of a jump among them, and what it asks for. */
  private class Reading(word: Bits) {
    def part(name: String): UInt = fields(name).in(word).asUInt
    def jump(name: String): UInt = WordFormat.jump(name).in(word).asUInt
    def isLinear: Bool = fields("unit").in(word).lsb
    def is(operation: String): Bool = isLinear && part("operation") === WordFormat.operation(operation)
    def makesSum: Bool = isLinear && part("operation") <= WordFormat.operation("table")
  }

  /** Whether a word writes a register of the bank of sums. */
  def makesSum(word: Bits): Bool = new Reading(word).makesSum

  /** `count 0`, which waits for nothing. */
  private val firstWord: BigInt = Seq(
    "wait_mul" -> fields("wait_mul").all,
    "wait_lin" -> fields("wait_lin").all,
    "unit" -> 1,
    "operation" -> WordFormat.operation("count")
  ).map { case (name, value) => fields(name).encode(value) }.sum
}
