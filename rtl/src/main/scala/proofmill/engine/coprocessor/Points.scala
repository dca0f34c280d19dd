package proofmill.engine.coprocessor

import proofmill.pairing.{Layout, Start}
import spinal.core._
import spinal.lib._

/** Work on points that are on their curves, by programs of the pairing processor in projective coordinates: a sum, a multiple, an affine form,
  * and whether a point is in its subgroup.
  *
  *   1. Idle, until `go`.
  *   2. Begin: a point's entries 0 and 1, the identity and itself, in its table. Add: the sum of two of them.
  *   3. Choices, in G1: what a walk chooses of a point. Member: a program that finds out whether the point is in its subgroup. In G1 that is the
  *      walk, which makes the multiple as well; in G2 Walk makes it at the same time, through the multiples 0 to 15 of Table. ZeroMember: the
  *      multiple is right if the point is in the subgroup.
  *   4. If it is not, or the scalar is too long to be split, Table, which G2 has already. Skip: the digits from the highest one on that is not 0;
  *      Window: one of them.
  *   5. Last: the result's affine form, to `target`; `done`. Of a check the verdict alone.
  */
class Points(config: CoprocessorConfig, places: Places) extends Component {
  import Points._
  private val pairing = config.machine
  private val bits = pairing.field.bits
  val io = new Bundle {
    val go = in(Bool()) // what follows holds until `done`
    val work = in(Work())
    val second = in(Bool()) // points of G2
    val here = in(Vec.fill(2)(UInt(places.bits bits))) // affine coordinates of operands a and b
    val none = in(Vec.fill(2)(Bool())) // the identity
    val target = in(UInt(places.bits bits))
    val scalar = slave(Flow(Bits(bits bits))) // of the next multiple, some time before `go`
    val data = master(Stream(Ask(places.bits, bits)))
    val found = in(Found(bits))
    val start = master(Stream(Start(pairing.image.entries.size, places.bits)))
    val context = in(UInt(log2Up(pairing.contexts) bits))
    val over = in(Bits(pairing.contexts bits))
    val taken, idle = in(Bool())
    val digits = out(Vec.fill(Layout.digits)(UInt(Layout.digitBits bits)))
    val done = out(Bool())
    val verdict = out(Bits(3 bits))
  }
  private object State extends SpinalEnum {
    val Idle, Begin, BeginDone, Add, AddDone, Choices, Member, Walk, WalkDone, Join, ZeroMember = newElement()
    val Table, TableDone, Skip, Window, WindowDone, Last, LastDone = newElement()
  }
  import State._
  private val state = RegInit(Idle)
  private val isAffine = io.work === Work.Affine
  private val isAdd = io.work === Work.Add
  private val isMultiply = io.work === Work.Multiply
  private val isCheck = io.work === Work.Check

  // The operand that is looked at.
  private val which = Reg(UInt(1 bits))
  private val of = which === 0
  private val isPoint = of ? !isMultiply | (isAdd || isMultiply)

  // The table of its multiples, and the sum so far.
  private val step = Reg(UInt(4 bits))
  private val tables = places.tables.map(U(_, places.bits bits))
  private val (choices, theTable) = (tables(0), tables(1))
  private val accumulator = U(places.accumulator, places.bits bits)
  private val equation = U(places.equation, places.bits bits)
  private val sum = Reg(UInt(places.bits bits)) // where it is
  private def entry(table: UInt, index: UInt): UInt = (table + index * entrySlots).resize(places.bits)
  private def first(operand: Int) = entry(tables(operand), (!io.none(operand)).asUInt)

  // The scalar, for windows and for walks.
  private val digits = Reg(UInt(log2Up(Points.digits(bits) + 1) bits))
  private val scalar = Reg(Bits(Points.digits(bits) * window bits))
  private val digit = scalar.takeHigh(window).asUInt
  private def shiftScalar(): Unit = {
    scalar := (scalar << window).resized
    digits := digits - 1
  }
  private val split = new Split(bits)
  split.io.start << io.scalar
  split.io.second := io.second
  split.io.begin := False
  private val loads = Reg(UInt(4 bits)) // of entries, in this turn
  private val allLoads = io.second ? U(3 * Layout.digits, 4 bits) | U(2 * 3 + 2 * 2, 4 bits)
  when(io.taken)(loads := loads + 1)
  split.io.next := loads === allLoads
  when(split.io.next)(loads := 0)
  io.digits := split.io.digits
  when(io.scalar.valid) {
    scalar := io.scalar.payload.resized
    digits := Points.digits(bits)
  }

  // Jobs: the last one, and the one that looks at the point.
  private val context = RegNextWhen(io.context, io.start.fire)
  private val over = io.over(context)
  private val looking = Reg(UInt(io.context.getWidth bits))
  private val looked = Reg(Bool())
  when(io.over(looking))(looked := True)

  // Defaults.
  io.start.valid := False
  io.start.program := 0
  io.start.operands := Vec(io.here(0), io.here(1), accumulator, theTable)
  io.data.valid := False
  io.data.task := Task.Zero
  io.data.slot := io.second ? equation | accumulator + coordinates
  io.data.count := io.second ? U(2, 4 bits) | U(1, 4 bits)
  io.data.value := 0
  io.data.kind := 0
  io.done := False
  private val verdict = Reg(Bits(3 bits))
  io.verdict := verdict
  private def program(name: String) = U(pairing.program(name), io.start.program.getWidth bits)
  private def ofGroup(name: String) = io.second ? program(s"g2_$name") | program(s"g1_$name")
  private def run(then: SpinalEnumElement[State.type]): Unit = {
    io.start.valid := True
    when(io.start.ready)(state := then)
  }

  /** A multiple of any point: digit by digit, for which G2 has its table already. */
  private def byWindows(): Unit = state := (io.second ? Skip | Table)

  switch(state) {
    is(Idle) {
      which := 0
      step := 1
      sum := accumulator
      when(io.go) {
        state := Begin
        when(isCheck)(state := (io.second ? Member | Choices))
      }
    }
    is(Begin) {
      io.start.operands(0) := of ? io.here(0) | io.here(1)
      io.start.operands(2) := of ? tables(0) | tables(1)
      io.start.program := ofGroup("begin")
      when(isPoint)(run(BeginDone)) otherwise (state := BeginDone)
    }
    is(BeginDone)(when(over || !isPoint) {
      which := 1
      state := Begin
      when(!of) {
        state := Last
        when(isAdd)(state := Add)
        when(isMultiply)(state := (io.second ? Table | Choices))
      }
    })
    is(Add) {
      io.start.operands(0) := first(0)
      io.start.operands(1) := first(1)
      io.start.program := ofGroup("add")
      run(AddDone)
    }
    is(AddDone)(when(over)(state := Last))

    // Walks.
    is(Choices) {
      io.start.operands(2) := choices
      io.start.program := program("g1_choices")
      run(Member)
    }
    is(Member) {
      io.start.operands(0) := isMultiply ? io.here(1) | io.here(0)
      io.start.operands(2) := io.second ? equation | accumulator
      io.start.operands(3) := choices
      io.start.program := io.second ? program("g2_subgroup") | program("g1_walk")
      loads := 0
      split.io.begin := True
      verdict := isIdentity
      when(io.idle && !(isMultiply && split.io.busy)) {
        when(isMultiply ? io.none(1) | io.none(0)) {
          scalar := 0
          digits := 1
          state := Skip
          when(isCheck)(state := LastDone)
        } elsewhen (isMultiply && !split.io.fits) {
          byWindows()
        } otherwise {
          run(Join)
          when(io.start.ready && isMultiply && io.second)(state := Walk)
          looking := io.context
          looked := False
        }
      }
    }
    is(Walk) {
      io.start.program := program("g2_walk")
      run(WalkDone)
    }
    is(WalkDone)(when(over)(state := Join))
    is(Join)(when(looked)(state := ZeroMember))
    is(ZeroMember) {
      io.data.valid := True
      verdict := io.found.good ? B(inSubgroup, 3 bits) | B(onCurve, 3 bits)
      when(io.data.ready) {
        state := Last
        when(!io.found.good)(byWindows())
        when(isCheck)(state := LastDone)
      }
    }

    // Windows.
    is(Table) {
      io.start.operands(0) := entry(theTable, step)
      io.start.operands(1) := entry(theTable, U(1))
      io.start.operands(2) := entry(theTable, step << 1)
      io.start.program := ofGroup("table")
      run(Table)
      when(io.start.ready) {
        step := step + 1
        when((step & (step + 1)) === 0)(state := TableDone) // twice as many entries are there then
      }
    }
    is(TableDone)(when(io.idle) {
      state := Table
      when(step.msb)(state := (io.second ? Member | Skip))
    })
    is(Skip) {
      shiftScalar()
      when(digit =/= 0 || digits === 1) {
        sum := entry(theTable, digit)
        state := Window
      }
    }
    is(Window) {
      io.start.operands(0) := sum
      io.start.operands(1) := entry(theTable, digit)
      io.start.program := ofGroup("window")
      when(digits === 0)(state := Last) otherwise run(WindowDone)
    }
    is(WindowDone)(when(over) {
      sum := accumulator
      shiftScalar()
      state := Window
    })

    is(Last) {
      io.start.operands(0) := isAffine ? first(0) | sum
      io.start.operands(2) := io.target
      io.start.program := isAffine ? ofGroup("affine") | ofGroup("finish")
      run(LastDone)
    }
    is(LastDone)(when(over || isCheck) {
      io.done := True
      state := Idle
    })
  }
}

object Points {

  /** What is wanted. */
  object Work extends SpinalEnum { val Affine, Add, Multiply, Check = newElement() }

  /** Bits of a digit of a scalar, and how many there are in `bits`; slots of an entry of a point's table. */
  val window: Int = Layout.digitBits
  def digits(bits: Int): Int = (bits + window - 1) / window
  val entrySlots: Int = Layout.entrySlots

  /** Slots of a point of G1; behind them a walk stores what is 0 if the point is in its subgroup. */
  val coordinates = 3

  /** What a check of a point says: bit 0 on the curve, bit 1 in the subgroup, bit 2 the identity. */
  val (onCurve, inSubgroup, isIdentity) = (1, 3, 7)
}
