package proofmill.engine.coprocessor

import proofmill.pairing.{Layout, Start}
import spinal.core._
import spinal.lib._

/** Work on points that are on their curves, by programs of the pairing processor in projective coordinates: a sum, a multiple, an affine form,
  * and whether a point is in its subgroup.
  *
  *   1. Idle, until `go`.
  *   2. Begin: a point's entries 0 and 1, the identity and itself, in its table. Add: the sum of two of them.
  *   3. Member: a program that finds out whether the point is in its subgroup, and makes the multiple as well; of a check in G2 it makes none.
  *      ZeroMember: the multiple is right if the point is in the subgroup.
  *   4. If it is not, or the scalar is too long to be split, Table: the multiples 0 to 15, which G2 may have already. Skip: the digits from the
  *      highest one on that is not 0; Window: one of them.
  *   5. Last: the result's affine form, to `target`; `done`. Of a check the verdict alone.
  */
class PointUnit(config: CoprocessorConfig, places: Places) extends Component {
  import PointUnit._
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
    val splitting, fits = in(Bool()) // it is split; its parts are short enough for a walk
    val outside = in(Bool()) // the point is known not to be in its subgroup
    val data = master(Stream(Ask(places.bits, bits)))
    val found = in(Found(bits))
    val start = master(Stream(Start(pairing.image.entries.size, places.bits)))
    val context = in(UInt(log2Up(pairing.contexts) bits))
    val over = in(Bits(pairing.contexts bits))
    val idle = in(Bool())
    val done = out(Bool())
    val verdict = out(Bits(3 bits))
  }
  private object State extends SpinalEnum {
    val Idle, Begin, BeginDone, Add, AddDone, Member, Join, ZeroMember = newElement()
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
  private val sum = Reg(UInt(places.bits bits)) // where it is
  private def entry(table: UInt, index: UInt): UInt = (table + index * entrySlots).resize(places.bits)
  private def first(operand: Int) = entry(tables(operand), (!io.none(operand)).asUInt)

  // The scalar, for windows and for walks.
  private val digits = Reg(UInt(log2Up(PointUnit.digits(bits) + 1) bits))
  private val scalar = Reg(Bits(PointUnit.digits(bits) * window bits))
  private val digit = scalar.takeHigh(window).asUInt
  private def shiftScalar(): Unit = {
    scalar := (scalar << window).resized
    digits := digits - 1
  }
  when(io.scalar.valid) {
    scalar := io.scalar.payload.resized
    digits := PointUnit.digits(bits)
  }

  // The last job.
  private val context = RegNextWhen(io.context, io.start.fire)
  private val over = io.over(context)

  // Defaults.
  io.start.valid := False
  io.start.program := 0
  io.start.operands := Vec(io.here(0), io.here(1), accumulator, theTable)
  io.data.valid := False
  io.data.task := Task.Zero
  io.data.slot := accumulator + (io.second ? U(memberOfSecond, places.bits bits) | U(memberOfFirst, places.bits bits))
  io.data.count := ShapeOf.coordinate(io.second)
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

  switch(state) {
    is(Idle) {
      which := 0
      step := 1
      sum := accumulator
      when(io.go) {
        state := isCheck ? Member | Begin
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
        when(isMultiply)(state := Member)
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
    is(Member) {
      val table = io.second ? theTable | choices
      io.start.operands := Vec(table, table, theTable + upper, isMultiply ? io.here(1) | io.here(0))
      io.start.program := ofGroup("multiply")
      when(isCheck && io.second) {
        io.start.operands(0) := io.here(0)
        io.start.operands(2) := accumulator + memberOfSecond
        io.start.program := program("g2_subgroup")
      }
      verdict := isIdentity
      when(io.idle && !(isMultiply && io.splitting)) {
        when(isMultiply ? io.none(1) | io.none(0)) {
          scalar := 0
          digits := 1
          state := Skip
          when(isCheck)(state := LastDone)
        } elsewhen (isMultiply && (!io.fits || io.outside)) {
          state := Table
        } otherwise run(Join)
      }
    }
    is(Join)(when(over)(state := ZeroMember))
    is(ZeroMember) {
      io.data.valid := True
      verdict := io.found.good ? B(inSubgroup, 3 bits) | B(onCurve, 3 bits)
      when(io.data.ready) {
        state := Last
        when(!io.found.good)(state := (io.second ? Skip | Table))
        when(isCheck)(state := LastDone)
      }
    }

    // Windows.
    is(Table) {
      io.start.operands(0) := entry(theTable, step)
      io.start.operands(1) := entry(theTable, U(1))
      io.start.operands(2) := entry(theTable, step << 1)
      when(io.second)(io.start.operands := Vec(theTable, theTable, theTable + upper, io.here(1)))
      io.start.program := ofGroup("table")
      run(Table)
      when(io.start.ready) {
        step := step + 1
        when(io.second || (step & (step + 1)) === 0)(state := TableDone) // twice as many entries are there then, or all
      }
    }
    is(TableDone)(when(io.idle) {
      state := Table
      when(io.second || step.msb)(state := Skip)
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

object PointUnit {

  /** What is wanted. */
  object Work extends SpinalEnum { val Affine, Add, Multiply, Check = newElement() }

  /** Bits of a digit of a scalar, and how many there are in `bits`; slots of an entry of a point's table. */
  val window: Int = Layout.digitBits
  def digits(bits: Int): Int = (bits + window - 1) / window
  val entrySlots: Int = Layout.entrySlots

  /** Slots of the lower half of a table: a program has a, and d, for the whole table and c for its upper half and what comes behind it. */
  val upper: Int = entrySlots << (window - 1)

  /** What a walk stores behind its table: a point, and what is 0 if the table's point is in its subgroup. */
  val resultSlots = 8
  val (memberOfFirst, memberOfSecond) = (3, 6)

  /** What a check of a point says: bit 0 on the curve, bit 1 in the subgroup, bit 2 the identity. */
  val (onCurve, inSubgroup, isIdentity) = (1, 3, 7)
}
