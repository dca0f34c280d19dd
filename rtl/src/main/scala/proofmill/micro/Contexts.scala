package proofmill.micro

import spinal.core._
import spinal.lib._

/** A word that a context issues to a unit, and its address. */
case class Issue(contexts: Int, addressBits: Int) extends Bundle {
  val context = UInt(log2Up(contexts) bits)
  val word = Bits(WordFormat.bits bits)
  val address = UInt(addressBits bits)

  /** A field of the word; for a product in the format `mul`. */
  def field(name: String, format: Map[String, WordField] = WordFormat.linear): UInt = format(name).in(word).asUInt

  /** Returns whether the word is this operation of the linear unit. */
  def is(operation: String): Bool = field("operation") === WordFormat.operation(operation)
}

/** The contexts: each executes its program in order; in each cycle one context issues a product and another one any other
  * operation.
  *
  * 1. Start: a job occupies the next context of the ring. Its first word is `count 0`, which is followed by its program.
  * 2. Issue: of the contexts that are ready for a unit, the one with the oldest job. The fetch of its next word takes two
  *    cycles.
  * 3. Retire: after `end` the result is taken, in the order of the jobs, and the context is free.
  *
  * Oldest-first issue keeps the multiplier busy: the jobs spread out, so that their stalls do not coincide.
  */
class Contexts(image: Image, contexts: Int, latency: OperationLatency, lists: Seq[ItemList]) extends Component {
  private val addressBits = log2Up(image.words.size)
  private val indexBits = log2Up(contexts)
  private val counterBits = WordFormat.linear("value").bits

  val io = new Bundle {
    val start = slave(Stream(UInt(addressBits bits))) // jobs: the address of the program
    val startContext = out(UInt(indexBits bits)) // context of a job, valid while `start` fires
    val mul, linear =
      master(Flow(Issue(contexts, addressBits))) // words issued to the multiplier and to the linear unit
    val counters = out(Vec.fill(contexts)(UInt(counterBits bits))) // loop counters of the contexts
    val flags = in(Vec.fill(contexts)(Bits(WordFormat.flags bits))) // flags of the contexts
    val fed = slave(Flow(Fed(contexts, lists, 0))) // a job's items are written
    val taken = slave(Flow(UInt(indexBits bits))) // an item with a count, two cycles after the issue of its `take`
    val count = in(UInt(counterBits bits)) // count of the item of `taken`
    val items = out(Vec.fill(contexts)(ListState(lists))) // remaining items of the contexts
    val settled = slave(Flow(UInt(indexBits bits))) // a canonical value is available
    val oldest = out(UInt(indexBits bits)) // context of the oldest job
    val fromOldest = out(Bits(contexts bits)) // the contexts whose index is at or above `oldest`
    val answered = master(Event) // the oldest context retires
  }

  private val program = Mem(Bits(WordFormat.bits bits), image.words.map(B(_, WordFormat.bits bits)))
  program.addAttribute("rom_style", "block") // block memory: the path to its address is long
  private val oldest, free = Reg(UInt(indexBits bits)) init 0
  private val nextOldest = io.answered.fire ? (oldest + 1) | oldest
  oldest := nextOldest
  private val fromNext = RegNext(Choice.from(nextOldest + 1, contexts)) init Choice.constant(1, contexts)
  private val fromOldest = Reg(Bits(contexts bits)) init Choice.constant(0, contexts)
  private val nextFromOldest = io.answered.fire ? fromNext | fromOldest // the selector arrives later than both operands
  fromOldest := nextFromOldest
  private val running = Reg(UInt(log2Up(contexts + 1) bits)) init 0
  private val all = Seq.fill(contexts)(new Context(addressBits, lists))

  // The two arbiters, and the fetches of the next words. The grant has a high fan-out, and the program's address is timing critical, so it has an
  // arbiter of its own.
  private def choose(of: ContextState => Candidate, out: Flow[Issue]): (Bits, Bits) = {
    val states = all.map(_.io.state)
    def chosen(): Bits = {
      val choice = new Choice(contexts)
      choice.io.ready := Cat(states.map(of(_).ready))
      choice.io.later := Cat(states.map(of(_).later))
      choice.io.chosen
    }
    val begins = chosen()
    def word(part: ContextState => Data): Bits = MuxOH.or(begins, states.map(part(_).asBits))
    out.valid := RegNext(begins.orR, init = False)
    out.context := RegNext(OHToUInt(begins))
    out.word := RegNext(word(_.word))
    out.address := RegNext(word(_.place)).asUInt
    (begins, program.readSync(MuxOH.or(chosen(), states.map(_.follows.asBits)).asUInt))
  }
  private val (mul, mulFetched) = choose(_.mul, io.mul)
  private val (linear, linearFetched) = choose(_.linear, io.linear)

  private def marks(when: Bool, context: UInt): Bits = when ? UIntToOh(context, contexts) | B(0, contexts bits)

  /** Contexts whose result of a unit can be read by words issued `cycles` after its own word. */
  private def there(issue: Flow[Issue], makes: Bool, cycles: Int): Bits =
    marks(Delay(issue.valid && makes, cycles - 2, init = False), Delay(issue.context, cycles - 2))
  private val products = there(io.mul, True, latency.mul)
  private val sums = there(io.linear, Context.makesSum(io.linear.word), latency.linear)

  for ((context, i) <- all.zipWithIndex) {
    context.io.begins := mul(i) || linear(i)
    context.io.fromOldest := nextFromOldest(i)
    context.io.fetched := Vec(mulFetched, linearFetched)
    context.io.product := products(i)
    context.io.sum := sums(i)
    context.io.settled := io.settled.valid && io.settled.payload === i
    context.io.start.valid := io.start.fire && free === i
    context.io.start.payload := io.start.payload
    context.io.answered := io.answered.fire && oldest === i
    context.io.flags := io.flags(i)
    context.io.fed.valid := io.fed.valid && io.fed.context === i
    context.io.fed.payload := io.fed.sizes
    context.io.count.valid := io.taken.valid && io.taken.payload === i
    context.io.count.payload := io.count
    io.items(i) := context.io.items
    io.counters(i) := context.io.counter
  }
  io.start.ready := running =/= contexts
  io.startContext := free
  io.oldest := oldest
  io.fromOldest := fromOldest
  io.answered.valid := Vec(all.map(_.io.over))(oldest)
  when(io.start.fire)(free := free + 1)
  when(io.start.fire =/= io.answered.fire)(running := io.start.fire ? (running + 1) | (running - 1))
}

/** The arbiter of a unit: grants the first ready context from the oldest on. */
class Choice(contexts: Int) extends Component {
  val io = new Bundle {
    val ready = in(Bits(contexts bits)) // contexts that request the unit
    val later = in(Bits(contexts bits)) // those of the ready contexts whose index is at or above that of the oldest one
    val chosen = out(Bits(contexts bits)) // one-hot: the granted context
  }
  io.chosen := Choice.oldest(io.ready, io.later)
}

object Choice {

  /** Returns the first of some contexts in ring order from the oldest on, without a carry chain; `later`: those of them whose
    * index is at or above that of the oldest one.
    */
  def oldest(some: Bits, later: Bits): Bits = later.orR ? first(later) | first(some)
  private def first(bits: Bits): Bits =
    Cat(bits.asBools.zipWithIndex.map { case (bit, i) => if (i == 0) bit else bit && !bits.takeLow(i).orR })

  /** Returns the contexts from `context` on. */
  def from(context: UInt, contexts: Int): Bits =
    Cat((0 until contexts).map(i => if (i == context.maxValue) True else context <= i))
  def constant(from: Int, contexts: Int): Bits =
    B((0 until contexts).filter(_ >= from).map(BigInt(1) << _).sum, contexts bits)
}
