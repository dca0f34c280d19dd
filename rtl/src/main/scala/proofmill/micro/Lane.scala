package proofmill.micro

import proofmill.field.{Arithmetic, Residue}
import spinal.core._
import spinal.lib._

/** A processor lane: a multiplier and a linear unit of one field, shared by contexts that run programs.
  *
  * Every job has a result, in the order of the jobs. The result of an unknown program is zeros with all flags set. A job
  * whose program uses items must be fed: `io.begun` has its context, then its items may be written, then `io.fed` has their
  * number. A job that is not fed stalls, and so do all later ones.
  *
  * @param contexts number of jobs in flight, a power of two
  */
class Lane(ports: JobPorts, arithmetic: Arithmetic, image: Image, contexts: Int) extends Component {
  import Lane._
  require(contexts >= 2 && isPow2(contexts), s"$contexts contexts are not a power of two")
  private val demands = new Demands(arithmetic)
  private val field = arithmetic.field
  private val latency = Lane.latency(arithmetic)
  private val programBits = ports.programPort(image).bits

  val io = new Bundle {
    val in =
      slave(
        Stream(Bits(ports.operands(image, field).map(_.bits).sum bits))
      ) // jobs: the operands' ports, first one lowest
    val out = master(Stream(Bits(ports.results(field).map(_.bits).sum bits))) // results, in the order of the jobs
    val begun = master(Flow(UInt(log2Up(contexts) bits))) // context of a job that starts
    val items =
      ports.lists.map(list => slave(Flow(ItemWrite(contexts, list)))) // writes of items, one port for each list
    val fed = slave(Flow(Fed(contexts, ports.lists, ports.feedFlags.size))) // a job's items are written
  }

  // 1. A job: each context has registers for its operands. An unknown program is the `end` of the last one.
  private val control = new Contexts(image, contexts, latency, ports.lists)
  private val jobs = Mem(Bits(io.in.payload.getWidth - programBits bits), contexts)
  private val program = io.in.payload.takeLow(programBits).asUInt
  private val known = program < image.entries.size
  control.io.start.arbitrationFrom(io.in)
  private def address(word: Int) = U(word, log2Up(image.words.size) bits)
  private val entries = image.entries.map(entry => address(entry.address).asBits)
  control.io.start.payload := known ? Outside.pick(program, entries).asUInt | address(image.words.size - 1)
  jobs.write(control.io.startContext, io.in.payload.dropLow(programBits), io.in.fire)

  private def contextRegisters[T <: Data](register: => T): Vec[T] = Vec(Seq.fill(contexts)(register))
  private val flags = contextRegisters(Reg(Bits(WordFormat.flags bits)))
  private val written = contextRegisters(Reg(Bits(ports.answers.size bits)))
  when(io.in.fire) {
    flags(control.io.startContext) := B(WordFormat.flags bits, default -> !known)
    written(control.io.startContext) := B(0, ports.answers.size bits)
  }
  control.io.flags := flags
  control.io.fed.valid := io.fed.valid
  control.io.fed.context := io.fed.context
  control.io.fed.sizes := io.fed.sizes
  control.io.fed.flags := B(0, 0 bits)
  if (ports.feedFlags.nonEmpty)
    when(io.fed.valid)(flags(io.fed.context)(ports.firstFeedFlag, ports.feedFlags.size bits) := io.fed.flags)
  io.begun.valid := io.in.fire
  io.begun.payload := control.io.startContext

  // 2. Operand read: six read ports of each bank, with as many registers as the programs use.
  private val bounds = Seq(demands.product, demands.sum)
  private val registerBits = image.registers.map(log2Up(_))
  private val banks = bounds.zip(registerBits).map { case (bound, bits) =>
    new RegisterBank(arithmetic.digits * bound.width, contexts << bits, readers.size)
  }
  private def place(bank: Int, context: UInt, register: UInt) = context @@ register.resize(registerBits(bank))
  private val operandWidth = (bounds.map(_.width) :+ (demands.sliceBits + 1)).max

  private val mulIssue = control.io.mul
  private val linearIssue = control.io.linear
  private val job = jobs.readAsync(linearIssue.context)
  private val digits = new JobDigits(ports, image, contexts, linearIssue, job, io.items, control)

  private val values = readers.zipWithIndex.map { case ((unit, letter), i) =>
    val (issue, format) = if (unit == "mul") (mulIssue, WordFormat.mul) else (linearIssue, WordFormat.linear)
    val register = issue.field(s"${letter}_reg", format)
    val address =
      if (unit == "linear" && letter == "a") {
        val lookup = linearIssue.field("a_lookup").lsb
        register + (lookup ? digits.magnitude.resize(register.getWidth) | U(0, register.getWidth bits))
      } else register
    for ((bank, b) <- banks.zipWithIndex) bank.io.addresses(i) := place(b, issue.context, address)
    val fromSums = RegNext(issue.field(s"${letter}_bank", format).lsb)
    val wide = banks.zip(bounds).map { case (bank, bound) => widen(bank.io.values(i), bound.width) }
    fromSums ? wide(Value.sums) | wide(Value.products)
  }
  private def widen(bits: Bits, width: Int): Bits =
    Cat(bits.subdivideIn(arithmetic.digits slices).map(_.asSInt.resize(operandWidth).asBits))

  private def term(
      value: Bits,
      issue: Flow[Issue],
      letter: String,
      word: Map[String, WordField],
      on: Bool,
      flip: Bool
  ) = {
    val term = OperandTerm(arithmetic.digits, operandWidth)
    term.value := value
    term.shift := RegNext(issue.field(s"${letter}_shift", word))
    term.triple := word.get(s"${letter}_triple").fold(False)(field => RegNext(field.in(issue.word).lsb))
    term.minus := RegNext(issue.field(s"${letter}_minus", word).lsb ^ flip)
    term.on := RegNext(on)
    term
  }

  // 3. The multiplier: (a + b)(c + d).
  private def factor(first: Int, letters: (String, String)): Residue = {
    val sum = new TermSum(arithmetic.digits, operandWidth, arithmetic.factor.width, triples = true)
    sum.io.a := term(values(first), mulIssue, letters._1, WordFormat.mul, True, False)
    sum.io.b := term(
      values(first + 1),
      mulIssue,
      letters._2,
      WordFormat.mul,
      mulIssue.field(s"${letters._2}_on", WordFormat.mul).lsb,
      False
    )
    Residue(sum.io.sum, arithmetic.digits, arithmetic.factor, 0)
  }
  private val product = arithmetic.mul(factor(0, "a" -> "b"), factor(2, "c" -> "d"))
  writes(Value.products, mulIssue, True, latency.mul, WordFormat.mul, product)

  /** Writes back a result to its register. */
  private def writes(
      bank: Int,
      issue: Flow[Issue],
      makes: Bool,
      cycles: Int,
      word: Map[String, WordField],
      result: Residue
  ): Unit = {
    banks(bank).io.coming.valid := Delay(issue.valid && makes, cycles, init = False)
    banks(bank).io.coming.payload := Delay(place(bank, issue.context, issue.field("dst", word)), cycles)
    banks(bank).io.data := result.bits(result.cycle, bounds(bank))
  }

  // 4. The linear unit: a + b, or an external value; reduced.
  private val outside = new Outside(ports, arithmetic, image, demands, operandWidth, linearIssue, job, digits.magnitude)
  private def isThere(letter: String) = {
    val flag = flags(linearIssue.context)(linearIssue.field("flag"))
    Vec(False, True, flag, !flag)(linearIssue.field(s"${letter}_when"))
  }
  private val linearSum = new TermSum(arithmetic.digits, operandWidth, arithmetic.reducible.width, triples = false)
  linearSum.io.a := term(
    RegNext(outside.isAsked) ? outside.value | values(4),
    linearIssue,
    "a",
    WordFormat.linear,
    outside.isAsked || isThere("a"),
    linearIssue.field("a_signed").lsb && digits.sign
  )
  linearSum.io.b := term(values(5), linearIssue, "b", WordFormat.linear, isThere("b"), False)
  private val sum = arithmetic.reduce(Residue(linearSum.io.sum, arithmetic.digits, arithmetic.reducible, 0))
  writes(Value.sums, linearIssue, Context.makesSum(linearIssue.word), latency.linear, WordFormat.linear, sum)

  // 5. Canonical values: flags and results.
  private val canonical = new CanonicalQueue(arithmetic, contexts)
  canonical.io.fromOldest := control.io.fromOldest
  private val summed = latency.linear + 1 // cycles from the issue to the sum
  canonical.io.request.valid := Delay(linearIssue.valid && linearIssue.is("settle"), summed, init = False)
  canonical.io.request.context := Delay(linearIssue.context, summed)
  canonical.io.request.place := Delay(linearIssue.field("dst"), summed)
  canonical.io.request.residue := sum.bits(sum.cycle, demands.sum)
  private val answer = canonical.io.answer
  // A flag must be registered before it is read.
  control.io.settled << answer.translateWith(answer.context).stage()
  private val answers = ports.answers.indices.map { i =>
    val memory = Mem(Bits(field.bits bits), contexts)
    val here = answer.valid && answer.place === WordFormat.flags + i
    memory.write(answer.context, answer.value, here)
    when(here)(written(answer.context)(i) := True)
    memory.readAsync(control.io.oldest)
  }
  when(answer.valid && answer.place < WordFormat.flags) {
    flags(answer.context)(answer.place.resize(log2Up(WordFormat.flags))) := answer.value === 0
  }

  // 6. The result of the oldest job.
  io.out.arbitrationFrom(control.io.answered)
  private val shown = written(control.io.oldest)
  io.out.payload := Cat(answers.zipWithIndex.map { case (value, i) =>
    shown(i) ? value | B(0, field.bits bits)
  } :+ flags(control.io.oldest))

  /** Makes simulations print each value that is written to a register, with context numbers of the whole processor. */
  def trace(multipliers: Int, number: Int): Unit = {
    val cycle = Reg(UInt(64 bits)) init 0
    cycle := cycle + 1
    for (
      (bank, issue, cycles) <- Seq((Value.products, mulIssue, latency.mul), (Value.sums, linearIssue, latency.linear))
    ) {
      val coming = banks(bank).io.coming
      def now[T <: Data](value: T): T = Delay(value, cycles + 1)
      val context = now(issue.context) @@ U(number, log2Up(multipliers) bits)
      val register = now(issue.field("dst", if (bank == Value.products) WordFormat.mul else WordFormat.linear))
      when(RegNext(coming.valid, init = False)) {
        val data = banks(bank).io.data
        report(Seq("trace ", cycle, " ", context, " ", now(issue.address), s" $bank ", register, " ", data))
      }
    }
  }
}

object Lane {

  /** Read ports of the registers: the four terms of a product, the two of a sum. */
  private val readers = Seq("a", "b", "c", "d").map("mul" -> _) ++ Seq("a", "b").map("linear" -> _)

  /** Returns the cycles from an operation's issue to that of the first reader of its result. The register read takes two
    * cycles, the terms one and their sum one. The two cycles of the read are not counted, because a result is bypassed in the
    * cycle in which it is written.
    */
  def latency(arithmetic: Arithmetic): OperationLatency =
    OperationLatency(arithmetic.mulLatency + 2, arithmetic.reduceLatency + 2)
}
