package proofmill.micro

import spinal.core._
import spinal.lib._

/** What stands in a context and is looked at when the next word of each unit is chosen. */
case class ContextState(addressBits: Int) extends Bundle {
  val word = Bits(WordFormat.bits bits)
  val place, follows = UInt(addressBits bits) // where the word stands, and the one after it
  val readyMul, readyLinear = Bool()
}

/** One context: its word, its place in the program, its loop's counter, and its results on their way.
  *
  * A word is ready when at most as many results are on their way as it allows.
  */
class Context(addressBits: Int) extends Component {
  import WordFormat.{linear => field}
  private val counterBits = field("value").bits
  private val waitBits = field("wait_mul").bits

  val io = new Bundle {
    val start = slave(Flow(UInt(addressBits bits))) // a job: where its program begins
    val begins = in(Bool()) // the word that is ready begins
    val fetched = slave(Flow(Bits(WordFormat.bits bits)))
    val product, sum = in(Bool()) // one that was on its way can be read
    val settled = in(Bool()) // a canonical value has come
    val answered = in(Bool()) // the answer has been taken
    val state = out(ContextState(addressBits))
    val counter = out(UInt(counterBits bits))
    val over = out(Bool()) // the program has ended
  }

  private val present, over, exact = RegInit(False) // the word is there; the program is over; a canonical value is made
  private val word = Reg(Bits(WordFormat.bits bits))
  private val next = Reg(UInt(addressBits bits))
  private val counter = Reg(UInt(counterBits bits))
  private val products, sums = Reg(UInt(waitBits bits)) init 0 // on their way

  private def part(name: String) = field(name).in(word).asUInt
  private val isLinear = part("unit").lsb
  private def is(operation: String) = isLinear && part("operation") === WordFormat.operation(operation)
  private val goes =
    present && products <= part("wait_mul") && sums <= part("wait_lin") && !(exact && part("wait_exact").lsb)
  private val repeats = is("repeat") && counter =/= 0
  private val follows = repeats ? part("value").resize(addressBits) | next

  io.state.word := word
  io.state.place := next - 1
  io.state.follows := follows
  io.state.readyMul := goes && !isLinear && !products.andR
  io.state.readyLinear := goes && isLinear && !sums.andR
  io.counter := counter
  io.over := over

  when(io.begins) {
    present := False
    next := follows + 1
    when(repeats)(counter := counter - 1)
    when(is("count"))(counter := part("value"))
    when(is("end"))(over := True)
    when(is("settle"))(exact := True)
  }
  when(io.fetched.valid) {
    word := io.fetched.payload
    present := True
  }
  when(io.settled)(exact := False)
  when(io.answered)(over := False)
  when(io.start.valid) {
    present := True
    next := io.start.payload
    word := B(Context.firstWord, WordFormat.bits bits)
  }

  /** Counts a unit's results on their way. */
  private def count(results: UInt, begun: Bool, there: Bool): Unit =
    when(begun =/= there)(results := begun ? (results + 1) | (results - 1))
  count(products, io.begins && !isLinear, io.product)
  count(sums, io.begins && Context.makesSum(word), io.sum)
}

object Context {
  private val fields = WordFormat.linear

  /** Does a word write a register of the bank of sums? */
  def makesSum(word: Bits): Bool =
    fields("unit").in(word).lsb && fields("operation").in(word).asUInt <= WordFormat.operation("rom")

  def isEnd(word: Bits): Bool =
    fields("unit").in(word).lsb && fields("operation").in(word).asUInt === WordFormat.operation("end")

  /** `count 0`, which waits for nothing. */
  private val firstWord: BigInt = Seq(
    "wait_mul" -> fields("wait_mul").all,
    "wait_lin" -> fields("wait_lin").all,
    "unit" -> 1,
    "operation" -> WordFormat.operation("count")
  ).map { case (name, value) => fields(name).encode(value) }.sum
}
