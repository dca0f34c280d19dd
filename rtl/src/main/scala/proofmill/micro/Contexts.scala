package proofmill.micro

import spinal.core._
import spinal.lib._

/** A context's word, and where it stands in the program memory, on its way into a unit. */
case class Issue(contexts: Int, addressBits: Int) extends Bundle {
  val context = UInt(log2Up(contexts) bits)
  val word = Bits(WordFormat.bits bits)
  val address = UInt(addressBits bits)
}

/** The contexts: each executes its program in order, and in each cycle one begins a product and another one something else.
  *
  * 1. A job takes the next context of the ring; its first word is `count 0`, behind which its program begins.
  * 2. A context is ready when its word is there and at most as many of its results are on their way as the word allows.
  * 3. Of the contexts that are ready for a unit the one with the oldest job goes. Its next word is fetched: there two cycles later.
  * 4. After `end` its answer is taken, in the order of the jobs, and the context is free.
  *
  * Oldest first is what keeps the multiplier busy: the jobs drift apart, so that their waits do not coincide.
  */
class Contexts(image: Image, contexts: Int, latency: Pace) extends Component {
  import WordFormat.{linear => field}
  private val addressBits = log2Up(image.words.size)
  private val indexBits = log2Up(contexts)
  private val counterBits = field("value").bits
  private val waitBits = field("wait_mul").bits

  val io = new Bundle {
    val start = slave(Stream(UInt(addressBits bits))) // where the program begins
    val startContext = out(UInt(indexBits bits))
    val mul, linear = master(Flow(Issue(contexts, addressBits)))
    val counters = out(Vec.fill(contexts)(UInt(counterBits bits)))
    val settled = slave(Flow(UInt(indexBits bits))) // a canonical value has come
    val oldest = out(UInt(indexBits bits))
    val answered = master(Event) // the oldest context's job has been taken away
  }

  private val program = Mem(Bits(WordFormat.bits bits), image.words.map(B(_, WordFormat.bits bits)))
  private val oldest, free = Reg(UInt(indexBits bits)) init 0
  private val running = Reg(UInt(log2Up(contexts + 1) bits)) init 0

  class Context extends Area {
    val present, over, exact = RegInit(False) // its word is there; its program is over; a canonical value is being made
    val word = Reg(Bits(WordFormat.bits bits))
    val next = Reg(UInt(addressBits bits))
    val counter = Reg(UInt(counterBits bits))
    val products, sums = Reg(UInt(waitBits bits)) init 0 // on their way

    private def part(name: String) = field(name).in(word).asUInt
    private def is(operation: String) = part("operation") === WordFormat.operation(operation)
    val isLinear = part("unit").lsb
    val goes = present && products <= part("wait_mul") && sums <= part("wait_lin") && !(exact && part("wait_exact").lsb)
    val isEnd = isLinear && is("end")
    val isRepeat = isLinear && is("repeat")
    val settles = isLinear && is("settle")
    val makesSum = isLinear && part("operation") <= WordFormat.operation("rom")
    val repeats = isRepeat && counter =/= 0
    val follows = repeats ? part("value").resize(addressBits) | next
    val readyMul = goes && !isLinear && !products.andR
    val readyLinear = goes && isLinear && !sums.andR

    def begin(): Unit = {
      present := False
      next := follows + 1
      when(repeats)(counter := counter - 1)
      when(isLinear && is("count"))(counter := part("value"))
      when(isEnd)(over := True)
      when(settles)(exact := True)
    }
  }
  private val all = Seq.fill(contexts)(new Context)

  /** One unit's choice, its word's way out, and the fetch of the word after it. */
  private def choose(ready: Seq[Bool], out: Flow[Issue]): Bits = {
    val chosen = OHMasking.roundRobin(Cat(ready), UIntToOh(oldest, contexts))
    out.valid := RegNext(chosen.orR, init = False)
    out.context := RegNext(OHToUInt(chosen))
    out.word := RegNext(MuxOH(chosen, all.map(_.word)))
    out.address := RegNext(MuxOH(chosen, all.map(_.next - 1)))
    val fetched = program.readSync(MuxOH(chosen, all.map(_.follows)))
    val arrives = RegNext(chosen & ~Cat(all.map(_.isEnd))) init 0
    for ((context, i) <- all.zipWithIndex) {
      when(chosen(i))(context.begin())
      when(arrives(i)) {
        context.word := fetched
        context.present := True
      }
    }
    chosen
  }
  private val mulChosen = choose(all.map(_.readyMul), io.mul)
  private val linearChosen = choose(all.map(_.readyLinear), io.linear)

  /** Counts a unit's results on their way: there for readers that begin `cycles` after the operation. */
  private def count(begun: Bits, cycles: Int)(counter: Context => UInt): Unit = {
    val there = Delay(begun, cycles - 1, init = B(0, contexts bits))
    for ((context, i) <- all.zipWithIndex) {
      val change = begun(i) =/= there(i)
      when(change)(counter(context) := begun(i) ? (counter(context) + 1) | (counter(context) - 1))
    }
  }
  count(mulChosen, latency.mul)(_.products)
  count(linearChosen & Cat(all.map(_.makesSum)), latency.linear)(_.sums)

  for ((context, i) <- all.zipWithIndex) {
    io.counters(i) := context.counter
    when(io.settled.valid && io.settled.payload === i)(context.exact := False)
    when(io.start.fire && free === i) {
      context.present := True
      context.next := io.start.payload
      context.word := B(Contexts.firstWord, WordFormat.bits bits)
    }
    when(io.answered.fire && oldest === i)(context.over := False)
  }
  io.start.ready := running =/= contexts
  io.startContext := free
  io.oldest := oldest
  io.answered.valid := Vec(all.map(_.over))(oldest)
  when(io.start.fire)(free := free + 1)
  when(io.answered.fire)(oldest := oldest + 1)
  when(io.start.fire =/= io.answered.fire)(running := io.start.fire ? (running + 1) | (running - 1))
}

object Contexts {

  /** `count 0`, which waits for nothing. */
  val firstWord: BigInt = {
    val fields = WordFormat.linear
    Seq(
      "wait_mul" -> fields("wait_mul").all,
      "wait_lin" -> fields("wait_lin").all,
      "unit" -> 1,
      "operation" -> WordFormat.operation("count")
    ).map { case (name, value) => fields(name).encode(value) }.sum
  }
}
