package proofmill.pairing

import proofmill.field.Canonical
import proofmill.micro.RegisterBank
import spinal.core._
import spinal.lib._

/** A job: the number of its program, and the first slots of its operands. */
case class Start(programs: Int, slotBits: Int) extends Bundle {
  val program = UInt(log2Up(programs) bits)
  val operands = Vec.fill(Layout.operands)(UInt(slotBits bits))
}

/** A verdict on a waiting job: it continues (`good`) or ends. */
case class Permit(contexts: Int) extends Bundle {
  val context = UInt(log2Up(contexts) bits)
  val good = Bool()
}

/** The pairing processor: a multiplier and a linear unit over Fp2, shared by contexts that run programs on a memory of slots.
  *
  * A slot holds a residue. The `write` and `read` ports transfer integers; a written slot is valid after `writing` has
  * fallen. Jobs retire in the order of their start. The client guarantees that no other job in flight writes what a job
  * reads, or reads what it writes.
  *
  * A job whose program validates its operands stores the result at operand d (pulse `checked`) and continues. Before it
  * stores its results, it waits for its verdict, which arrives once. A job that reads a table uses `entries`.
  */
class PairingProcessor(
    arithmetic: Fp2Arithmetic,
    image: Image,
    constants: Seq[(BigInt, BigInt)],
    contexts: Int,
    slotBits: Int
) extends Component {
  require(contexts >= 2 && isPow2(contexts), s"$contexts contexts are not a power of two")
  import arithmetic.{digits, field, register}
  private val latency = arithmetic.latency
  require(image.latency == latency, s"the words are scheduled for ${image.latency}, the units have $latency")
  private val coordinate = digits * register.width
  private val indexBits = log2Up(contexts)

  val io = new Bundle {
    val start = slave(Stream(Start(image.entries.size, slotBits))) // jobs
    val done = master(Event) // the oldest job retires
    val startContext = out(UInt(log2Up(contexts) bits)) // context of the job that starts, valid while `start` fires
    val ended = out(Bits(contexts bits)) // levels: the context's job has ended, whether or not earlier ones have
    val idle = out(Bool()) // level: no job is in flight
    val checked = out(Bool()) // pulse: a value is stored at a job's operand d
    val verdict = slave(Flow(Permit(contexts))) // once for each job that waits for it
    // For each context the table entries that its digits select, one cycle before they are read.
    val entries = in(Vec.fill(contexts, Layout.digits)(UInt(Layout.entryBits bits)))
    val entryRead = out(Bool()) // pulse: the job of `entryContext` reads one of its entries
    val entryContext = out(UInt(log2Up(contexts) bits)) // the context of `entryRead`
    val write = slave(Stream(TaggedInteger(field.bits, UInt(slotBits bits)))) // integers; the tag is the slot
    val writing = out(Bool()) // level: a written integer is not in its slot yet
    val read = slave(Stream(UInt(slotBits bits))) // slots to read, one at a time
    val value = master(Flow(Bits(field.bits bits))) // the canonical integer of the slot read
  }

  // 1. Jobs: each context has registers for its job's operands.
  private val control = new Sequencer(image, contexts)
  control.io.start.arbitrationFrom(io.start)
  private val addressBits = control.io.start.payload.getWidth
  control.io.start.payload := Vec(image.entries.map(e => U(e.address, addressBits bits)))(io.start.program)
  private val operands = Vec(Seq.fill(contexts)(Reg(Vec.fill(Layout.operands)(UInt(slotBits bits)))))
  when(io.start.fire)(operands(control.io.startContext) := io.start.operands)
  private val entries = Vec(operands.zip(io.entries).map { case (job, entries) =>
    RegNext(Vec(entries.map(_.resize(slotBits) + job(Layout.tableOperand))))
  })
  io.done << control.io.retired
  io.startContext := control.io.startContext
  io.ended := control.io.ended
  io.idle := control.io.idle

  // 2. Operand read: four read ports for the multiplier, four for the linear unit.
  private val (mul, sum) = (control.io.mul, control.io.sum)
  private val factors = Seq("a", "a2", "b", "b2")
  private val terms = (0 until LinearSum.terms).map(i => s"t$i")
  private val readers = factors.map(_ -> mul) ++ terms.map(_ -> sum)
  private val registerBits = image.registers.map(count => log2Up(count) max 1)
  private val banks = registerBits.map(bits => new RegisterBank(2 * coordinate, contexts << bits, readers.size))
  private def place(bank: Int, issue: Flow[Issue], name: String) =
    issue.context @@ Words.number(issue.word, name).resize(registerBits(bank))
  private val values = readers.zipWithIndex.map { case ((name, issue), i) =>
    for ((bank, b) <- banks.zipWithIndex) bank.io.addresses(i) := place(b, issue, s"${name}_reg")
    RegNext(Words.flag(issue.word, s"${name}_bank")) ? banks(1).io.values(i) | banks(0).io.values(i)
  }

  /** Writes back a result; the bank receives the address one cycle before the data. */
  private def writes(bank: Int, issue: Flow[Issue], makes: Bool, name: String, cycles: Int, result: Bits): Unit = {
    banks(bank).io.coming.valid := Delay(issue.valid && makes, cycles, init = False)
    banks(bank).io.coming.payload := Delay(place(bank, issue, name), cycles)
    banks(bank).io.data := result
  }

  // 3. The multiplier.
  private val multiplier = new Fp2Multiplier(arithmetic)
  multiplier.io.mode := RegNext(Words.number(mul.word, "mode").andMask(mul.valid)) init 0
  private def factor(name: String, first: Int) = {
    val terms = FactorTerms(2 * coordinate)
    terms.a := values(first)
    terms.b := values(first + 1)
    terms.on := RegNext(Words.flag(mul.word, s"${name}2_on"))
    terms.minus := RegNext(Words.flag(mul.word, s"${name}2_minus"))
    terms
  }
  multiplier.io.a := factor("a", 0)
  multiplier.io.b := factor("b", 2)
  writes(0, mul, Words.flag(mul.word, "mul_writes"), "mul_dst", latency.mul, multiplier.io.result)

  // 4. The linear unit: terms, and slots, constants or the inverse.
  private val linear = new LinearUnit(arithmetic)
  for ((name, i) <- terms.zipWithIndex) {
    val term = linear.io.terms(i)
    def flag(field: String) = RegNext(Words.flag(sum.word, s"${name}_$field"))
    term.value := values(factors.size + i)
    term.on := flag("on")
    term.minus := flag("minus")
    term.triple := flag("triple")
    term.xi := flag("xi")
    term.conj := flag("conj")
    term.shift := RegNext(Words.number(sum.word, s"${name}_shift"))
  }
  writes(1, sum, Words.flag(sum.word, "sum_on"), "sum_dst", latency.sum, linear.io.result)

  private def outside(names: String*) = RegNext(names.map(from).reduce(_ || _))
  private val value = Words.number(sum.word, "value")
  private def from(name: String) = Words.number(sum.word, "outside") === Layout.outsides.indexOf(name)
  private val isEntry = from("entries") || from("entry")
  private val place = new SlotAddress(slotBits)
  place.io.operands := operands(sum.context)
  place.io.base := Words.number(sum.word, "base")
  place.io.value := value
  place.io.isEntry := isEntry
  place.io.entries := entries(sum.context)
  io.entryContext := sum.context
  io.entryRead := sum.valid && Words.flag(sum.word, "sum_on") && isEntry
  private val slots = new Slots(coordinate, slotBits)
  slots.io.load := place.io.slots
  private val rom = Mem(
    Bits(2 * coordinate bits),
    constants.map { case (c0, c1) =>
      B(arithmetic.encode(Seq(c0, c1)), 2 * coordinate bits)
    }
  )
  private val constant = rom.readSync(value.resize(log2Up(constants.size)))
  private val inverses = Mem(Bits(coordinate bits), contexts)
  private val inverse = inverses.readSync(sum.context)
  linear.io.outside := (slots.io.loaded(0).andMask(outside("slots", "slot", "entries", "entry")).resize(2 * coordinate)
    | (slots.io.loaded(1).andMask(outside("slots", "entries")) ## B(0, coordinate bits))
    | constant.andMask(outside("constant"))
    | inverse.andMask(outside("inverse")).resize(2 * coordinate))

  // 5. Written integers and inverses are converted to residues.
  private val results = latency.sum + 1 // cycles from the word to its sum
  private def isAlso(name: String) =
    sum.valid && Words.flag(sum.word, "sum_on") && Words.number(sum.word, "also") === Layout.alsos.indexOf(name)
  private def also(name: String) = Delay(isAlso(name), results, init = False)
  private val Seq(c0, c1) = linear.io.result.subdivideIn(2 slices).toSeq
  private val inverter = new Inverter(arithmetic, contexts)
  inverter.io.in.valid := also("inverter")
  inverter.io.in.residue := c0
  inverter.io.in.tag := Delay(sum.context, results)

  private val tag = HardType(Bits(1 + slotBits.max(indexBits) bits))
  private val encoder = new TaggedEncoder(arithmetic, tag)
  private def tagged(from: Stream[TaggedInteger[UInt]], inverse: Bool) = {
    val to = Stream(TaggedInteger(field.bits, tag))
    to.arbitrationFrom(from)
    to.value := from.value
    to.tag := inverse ## from.tag.resize(tag.getBitsWidth - 1)
    to
  }
  encoder.io.in << StreamArbiterFactory.lowerFirst.on(Seq(tagged(inverter.io.out, True), tagged(io.write, False)))
  private val isInverse = encoder.io.out.tag.msb
  private val inverseOf = encoder.io.out.tag.resize(indexBits).asUInt
  private val inverseValid = Reg(Bits(contexts bits)) init 0
  private val inverseArrives = encoder.io.out.fire && isInverse
  inverses.write(inverseOf, encoder.io.out.residue, inverseArrives)
  private def mark(when: Bool, context: UInt) = UIntToOh(context, contexts).andMask(when)
  private val begins = mark(io.start.fire, control.io.startContext)
  private def verdicts(good: Boolean) = mark(io.verdict.valid && io.verdict.good === Bool(good), io.verdict.context)
  inverseValid := (inverseValid | mark(inverseArrives, inverseOf) | verdicts(good = true)) &
    ~(mark(isAlso("inverter"), sum.context) | begins) // the flag of an earlier inverse is cleared
  control.io.inverse := inverseValid
  private val cancelled = Reg(Bits(contexts bits)) init 0
  cancelled := (cancelled | verdicts(good = false)) & ~begins
  control.io.cancelled := cancelled
  private val writing = RegInit(False)
  when(encoder.io.out.fire && !isInverse)(writing := False)
  when(io.write.fire)(writing := True)
  io.writing := writing

  // 6. Slots: a program's results have priority.
  private val (pair, single) = (also("slots"), also("slot"))
  private val stores = pair || single
  io.checked := RegNext(stores && Delay(Words.number(sum.word, "base") === Layout.operands - 1, results), init = False)
  private val arrives = encoder.io.out.valid && !isInverse
  encoder.io.out.ready := isInverse || !stores
  slots.io.store := stores ? Delay(slots.io.load(0), results) | encoder.io.out.tag.resize(slotBits).asUInt
  slots.io.stored := Vec(stores ? c0 | encoder.io.out.residue, c1)
  slots.io.enable := Vec(stores || arrives, pair)
  private val canonical = new Canonical(Inverter.residue(arithmetic))
  private val reading = RegInit(False)
  io.read.ready := !reading
  slots.io.show := io.read.payload
  when(io.read.fire)(reading := True)
  canonical.io.in.valid := RegNext(io.read.fire, init = False)
  canonical.io.in.payload := Inverter.short(arithmetic, slots.io.shown)
  canonical.io.out.ready := True
  io.value.valid := canonical.io.out.valid
  io.value.payload := canonical.io.out.payload.takeLow(field.bits)
  when(canonical.io.out.valid)(reading := False)
}
