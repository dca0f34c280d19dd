package proofmill.formal

import proofmill.micro.{Choice, Context, ItemList, WordField, WordFormat}
import spinal.core._
import spinal.lib._

/** Proof of a context of the field processor: no operand is read before it is written, and its words are those of its
  * program, in order.
  *
  * Products and sums arrive in the order of their issue, after any number of cycles; the proof counts those in flight from
  * issues and arrivals. A word issues when no more of each are in flight than it allows ([[proofmill.micro.Waits]] computes
  * that number), when no canonical value is in flight if it reads one, and when the job's items are written if it uses them.
  * The program memory may return any words, so programs are arbitrary, with jumps anywhere. Flags, counts, items and the
  * arbitration are free. A word that may issue is ready within a bounded time.
  */
class MicroContextProof(addressBits: Int) extends Component with Proof {
  private val lists =
    Seq(ItemList("counted", items = 1, magnitudes = 2, counts = 8), ItemList("plain", items = 2, magnitudes = 2))
  val dut = new Context(addressBits, lists)
  val start = freeInput(dut.io.start)
  val begins = freeInput(dut.io.begins)
  val fromOldest = freeInput(dut.io.fromOldest)
  val fetched = freeInput(dut.io.fetched)
  val product = freeInput(dut.io.product)
  val sum = freeInput(dut.io.sum)
  val settled = freeInput(dut.io.settled)
  val answered = freeInput(dut.io.answered)
  val flags = freeInput(dut.io.flags)
  val fed = freeInput(dut.io.fed)
  val count = freeInput(dut.io.count)
  private val state = dut.io.state
  private val begun = RegNext(True) init False // this is not the first cycle
  private val ready = state.mul.ready || state.linear.ready

  // A job, from its start until it retires.
  val live, ended = RegInit(False)
  assume(!start.valid || !live)
  assume(!answered || (live && ended))
  assume(!begins || ready)
  when(start.valid)(live := True) elsewhen answered(live := False)
  when(start.valid)(ended := False) elsewhen (begins && is("end"))(ended := True)
  assert(!ready || (live && !ended), "words are of a program that runs")
  assert(dut.io.over === (live && ended), "it is over behind its end")

  // Its word, in the word format: at first `count 0`, which has no dependences, then the fetched one.
  private def word = state.word
  private def field(fields: Map[String, WordField], name: String): UInt = fields(name).in(word).asUInt
  private def part(name: String): UInt = field(WordFormat.linear, name)
  private def jump(name: String): UInt = field(WordFormat.jump, name)
  private def isLinear = part("unit").lsb
  private def is(operation: String): Bool = isLinear && part("operation") === WordFormat.operation(operation)
  private def makesSum = Seq("add", "load", "rom", "table").map(is).orR
  private val firstWord = {
    val waits = Seq("wait_mul", "wait_lin").map(name => name -> WordFormat.linear(name).all)
    val fields = waits ++ Seq("unit" -> 1, "operation" -> WordFormat.operation("count"))
    B(fields.map { case (name, value) => WordFormat.linear(name).encode(value) }.sum, WordFormat.bits bits)
  }
  private val arrives = RegNext(begins && !is("end"), init = False)
  private val behindLinear = RegNext(isLinear)
  becomes(
    word,
    start.valid ? firstWord | (arrives ? (behindLinear ? fetched(1) | fetched(0)) | word),
    "a word stays until the next one arrives"
  )
  assert(!ready || !arrives, "and waits until then")
  assert(!ready || state.linear.ready === isLinear, "each word begins in its own unit")
  assert(!state.mul.ready || !state.linear.ready, "and in one")

  // Its program counter, counts and items.
  private def counter = dut.io.counter
  private def left = dut.io.items.left
  private val flag = RegNext(flags)(part("flag")) // flags are read one cycle before the issue
  private val jumps = is("jump") && Vec(False, True, flag, !flag)(jump("when")) &&
    Vec(True, counter === jump("than").resized, counter > jump("than"), False)(jump("test")) &&
    left.zipWithIndex.map { case (items, i) => items =/= 0 || !jump("lists")(i) }.andR
  private val next = jumps ? part("value").resize(addressBits) | (state.place + 1)
  assert(!live || ended || arrives || state.follows === next, "the next word is the program's")
  becomes(state.place, start.valid ? (start.payload - 1) | (begins ? next | state.place), "its place")
  private val after = (begins && is("count")) ? part("value") | ((begins && jumps) ? (counter - jump("less")) | counter)
  becomes(counter, count.valid ? count.payload | after, "the counter")
  assume(!count.valid || Delay(begins && is("take"), 2, init = False))
  assert(!ready || !count.valid, "a word sees the count of the item before it")
  val isFed = RegInit(False)
  assume(!fed.valid || (live && !isFed))
  when(start.valid)(isFed := False) elsewhen fed.valid(isFed := True)
  for ((items, i) <- left.zipWithIndex) {
    val taken = begins && is("take") && part("dst") === i && items =/= 0
    becomes(items, fed.valid ? fed.payload(i) | (taken ? (items - 1) | items), s"items of list $i")
    val asked = RegNext(begins && is("take") && part("dst") === i, init = False)
    assert(!asked || dut.io.items.found === RegNext(items =/= 0), s"was there one in list $i")
  }

  private def known[T <: Data](inside: T): T = inside.pull()

  /** Asserts that a value is `next` in the next cycle. */
  private def becomes[T <: Data](value: T, next: T, what: String): Unit =
    assert(!begun || value.asBits === RegNext(next).asBits, what)

  // Results in flight.
  private def onTheirWay(makes: Bool, arrives: Bool, counted: UInt, wait: String): (Bool, Bool) = {
    val results = Reg(UInt(WordFormat.linear(wait).bits bits)) init 0
    assume(!arrives || results =/= 0)
    when(makes =/= arrives)(results := makes ? (results + 1) | (results - 1))
    assert(!makes || !results.andR, "they are counted")
    assert(known(counted) === results, "as the context counts them")
    (results <= part(wait), results.andR)
  }
  val (products, allProducts) = onTheirWay(begins && !isLinear, product, dut.products, "wait_mul")
  val (sums, allSums) = onTheirWay(begins && makesSum, sum, dut.sums, "wait_lin")
  val exact = RegInit(False)
  assume(!begins || !is("settle") || part("wait_exact").lsb) // a property of the assembler's words
  assume(!settled || exact)
  when(begins && is("settle"))(exact := True) elsewhen settled(exact := False)
  val canonical = !exact || !part("wait_exact").lsb
  val asks = is("take") || ((is("jump") || is("end")) && jump("lists") =/= 0)
  val items = isFed || !asks
  assert(!ready || products, "no product is read before it is there")
  assert(!ready || sums, "no sum is read before it is there")
  assert(!ready || canonical, "no canonical value is asked before it is there")
  assert(!ready || items, "no item is asked for before it is there")
  assert(!ready || !RegNext(begins, init = False), "a word has two cycles")

  // Progress; the arbiter prefers contexts from that of the oldest job on.
  private def later(candidate: Bool): Bool = candidate && RegNext(fromOldest)
  assert(
    state.mul.later === later(state.mul.ready) && state.linear.later === later(state.linear.ready),
    "as the oldest one's or a later one's"
  )
  private val waits =
    live && !ended && !begins && products && sums && canonical && items && !(isLinear ? allSums | allProducts)
  responds("a word whose results are there is ready", waits, ready, within = 3)

  // Invariants that shorten the proof: the state of the context equals the counts of this proof.
  assert(known(dut.present) === (live && !ended && !arrives), "a word stands there")
  assert(known(dut.exact) === exact && (!live || known(dut.fed) === isFed), "what it waits for")
}

/** Proof of the arbiter among the contexts that are ready for a unit: it grants the first one from the oldest on. */
class MicroChoiceProof(contexts: Int) extends Component with Proof {
  override def cycles: Option[Int] = Some(1)
  val dut = new Choice(contexts)
  val oldest = in(UInt(log2Up(contexts) bits))
  val ready = freeInput(dut.io.ready)
  dut.io.later := ready & Choice.from(oldest, contexts)
  private val chosen = dut.io.chosen
  assert(chosen.orR === ready.orR, "one goes if one can")
  for (i <- 0 until contexts) {
    val before = Vec((0 until contexts).map(from =>
      Seq.tabulate((i - from + contexts) % contexts)(k => ready((from + k) % contexts)).foldLeft(False: Bool)(_ || _)
    ))
    assert(chosen(i) === (ready(i) && !before(oldest)), s"context $i goes if it is the first one")
  }
}
