package proofmill.engine.coprocessor

import proofmill.pairing.{Layout, Start}
import spinal.core._
import spinal.lib._

/** Operates on points that are on their curves, with programs of the pairing processor in projective coordinates: sums, multiples, affine forms
  * and subgroup checks.
  *
  * | state           | action                                                            | next                                        |
  * |:----------------|:------------------------------------------------------------------|:--------------------------------------------|
  * | Idle            | waits for `enable`                                                | FillFirst; MultiplyBySplit for a check      |
  * | FillFirst       | writes entries 0 and 1 of a point's table, the identity and itself | AwaitFirst                                 |
  * | AwaitFirst      | waits for it, for each point                                      | Finish; Add for a sum; MultiplyBySplit for a multiple |
  * | Add             | adds two entries                                                  | AwaitAdd, Finish                            |
  * | MultiplyBySplit | starts the multiple by the split scalar, which tests the subgroup | AwaitMultiply; FillTable if there is no split; SkipZeros for the identity |
  * | AwaitMultiply   | waits for it                                                      | TestSubgroup                                |
  * | TestSubgroup    | tests what it stored                                              | Finish; otherwise the multiple by windows   |
  * | FillTable       | fills the table with the multiples 0 to 15                        | AwaitTable, SkipZeros                       |
  * | SkipZeros       | skips the highest digits of the scalar that are 0                 | AddWindow                                   |
  * | AddWindow       | four doublings and a digit's entry                                | AwaitWindow; Finish after the last digit    |
  * | Finish          | starts the program that makes the affine form                     | AwaitFinish                                 |
  * | AwaitFinish     | `done`; of a check only the verdict                               | Idle                                        |
  *
  * The split needs a point in the subgroup: a multiple by it is right if the test succeeds, and else it is made again by windows.
  */
class PointUnit(config: CoprocessorConfig, slotMap: SlotMap) extends Component {
  import PointUnit._
  private val pairing = config.machine
  private val bits = pairing.field.bits
  val io = new Bundle {

    /** Level: operate. The following are steady until `done`. */
    val enable = in(Bool())
    val operation = in(Operation()) // affine form, sum, multiple, or check of a point
    val second = in(Bool()) // points of G2
    val location = in(Vec.fill(2)(UInt(slotMap.bits bits))) // of the affine coordinates of operands a and b
    val isIdentity = in(Vec.fill(2)(Bool())) // levels: operand a, or b, is the identity
    val target = in(UInt(slotMap.bits bits)) // first slot of the affine result
    val outsideSubgroup = in(Bool()) // the point is known not to be in its subgroup

    /** The scalar of the next multiple, one pulse before `enable`. */
    val scalar = slave(Flow(Bits(bits bits)))

    /** Levels from [[ScalarSplit]]: it is splitting; the parts are short enough. */
    val splitBusy, splitFits = in(Bool())

    /** Data memory: requests. */
    val data = master(Stream(DataRequest(slotMap.bits, bits)))
    val response = in(DataResponse(bits)) // the response, valid while `data` fires

    /** Pairing processor, as in [[ExecutorPorts]]: the program to start. */
    val start = master(Stream(Start(pairing.image.entries.size, slotMap.bits)))
    val startContext = in(UInt(log2Up(pairing.contexts) bits)) // context of the program, valid while `start` fires
    val ended = in(Bits(pairing.contexts bits)) // levels, a bit per context whose job has ended
    val idle = in(Bool()) // level: no job is in flight

    /** Pulse: the operation has ended. */
    val done = out(Bool())
    val verdict = out(Bits(3 bits)) // of a check, valid with `done`: bits on curve, in subgroup, identity from bit 0
  }
  private object State extends SpinalEnum {
    val Idle, FillFirst, AwaitFirst, Add, AwaitAdd, MultiplyBySplit, AwaitMultiply, TestSubgroup = newElement()
    val FillTable, AwaitTable, SkipZeros, AddWindow, AwaitWindow, Finish, AwaitFinish = newElement()
  }
  import State._
  private val state = RegInit(Idle)
  private val isAffine = io.operation === Operation.Affine
  private val isAdd = io.operation === Operation.Add
  private val isMultiply = io.operation === Operation.Multiply
  private val isCheck = io.operation === Operation.Check

  // The current operand.
  private val operandIndex = Reg(UInt(1 bits))
  private val isFirst = operandIndex === 0
  private val isPoint = isFirst ? !isMultiply | (isAdd || isMultiply)

  // The table of its multiples, and the partial sum.
  private val step = Reg(UInt(4 bits))
  private val tables = slotMap.tables.map(U(_, slotMap.bits bits))
  private val (firstTable, secondTable) = (tables(0), tables(1))
  private val accumulator = U(slotMap.accumulator, slotMap.bits bits)
  private val partialSum = Reg(UInt(slotMap.bits bits)) // its first slot
  private def entry(table: UInt, index: UInt): UInt = (table + index * entrySlots).resize(slotMap.bits)
  private def first(operand: Int) = entry(tables(operand), (!io.isIdentity(operand)).asUInt)

  // The digits of the scalar, for windows.
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

  // The job that was started last.
  private val context = RegNextWhen(io.startContext, io.start.fire)
  private val ended = io.ended(context)

  // Defaults.
  io.start.valid := False
  io.start.program := 0
  io.start.operands := Vec(io.location(0), io.location(1), accumulator, secondTable)
  io.data.valid := False
  io.data.operation := DataOperation.TestZero
  io.data.slot := accumulator + (io.second ? U(memberOfSecond, slotMap.bits bits) | U(memberOfFirst, slotMap.bits bits))
  io.data.count := ShapeOf.coordinate(io.second)
  io.data.value := 0
  io.data.slotType := 0
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
      operandIndex := 0
      step := 1
      partialSum := accumulator
      when(io.enable) {
        state := isCheck ? MultiplyBySplit | FillFirst
      }
    }
    is(FillFirst) {
      io.start.operands(0) := isFirst ? io.location(0) | io.location(1)
      io.start.operands(2) := isFirst ? tables(0) | tables(1)
      io.start.program := ofGroup("begin")
      when(isPoint)(run(AwaitFirst)) otherwise (state := AwaitFirst)
    }
    is(AwaitFirst)(when(ended || !isPoint) {
      operandIndex := 1
      state := FillFirst
      when(!isFirst) {
        state := Finish
        when(isAdd)(state := Add)
        when(isMultiply)(state := MultiplyBySplit)
      }
    })
    is(Add) {
      io.start.operands(0) := first(0)
      io.start.operands(1) := first(1)
      io.start.program := ofGroup("add")
      run(AwaitAdd)
    }
    is(AwaitAdd)(when(ended)(state := Finish))

    // By the split scalar.
    is(MultiplyBySplit) {
      val table = io.second ? secondTable | firstTable
      io.start.operands := Vec(table, table, secondTable + upper, isMultiply ? io.location(1) | io.location(0))
      io.start.program := ofGroup("multiply")
      when(isCheck && io.second) {
        io.start.operands(0) := io.location(0)
        io.start.operands(2) := accumulator + memberOfSecond
        io.start.program := program("g2_subgroup")
      }
      verdict := isIdentity
      when(io.idle && !(isMultiply && io.splitBusy)) {
        when(isMultiply ? io.isIdentity(1) | io.isIdentity(0)) {
          scalar := 0
          digits := 1
          state := SkipZeros
          when(isCheck)(state := AwaitFinish)
        } elsewhen (isMultiply && (!io.splitFits || io.outsideSubgroup)) {
          state := FillTable
        } otherwise run(AwaitMultiply)
      }
    }
    is(AwaitMultiply)(when(ended)(state := TestSubgroup))
    is(TestSubgroup) {
      io.data.valid := True
      verdict := io.response.good ? B(inSubgroup, 3 bits) | B(onCurve, 3 bits)
      when(io.data.ready) {
        state := Finish
        when(!io.response.good)(state := (io.second ? SkipZeros | FillTable))
        when(isCheck)(state := AwaitFinish)
      }
    }

    // By windows.
    is(FillTable) {
      io.start.operands(0) := entry(secondTable, step)
      io.start.operands(1) := entry(secondTable, U(1))
      io.start.operands(2) := entry(secondTable, step << 1)
      when(io.second)(io.start.operands := Vec(secondTable, secondTable, secondTable + upper, io.location(1)))
      io.start.program := ofGroup("table")
      run(FillTable)
      when(io.start.ready) {
        step := step + 1
        when(io.second || (step & (step + 1)) === 0)(
          state := AwaitTable
        ) // twice as many entries are there then, or all
      }
    }
    is(AwaitTable)(when(io.idle) {
      state := FillTable
      when(io.second || step.msb)(state := SkipZeros)
    })
    is(SkipZeros) {
      shiftScalar()
      when(digit =/= 0 || digits === 1) {
        partialSum := entry(secondTable, digit)
        state := AddWindow
      }
    }
    is(AddWindow) {
      io.start.operands(0) := partialSum
      io.start.operands(1) := entry(secondTable, digit)
      io.start.program := ofGroup("window")
      when(digits === 0)(state := Finish) otherwise run(AwaitWindow)
    }
    is(AwaitWindow)(when(ended) {
      partialSum := accumulator
      shiftScalar()
      state := AddWindow
    })

    is(Finish) {
      io.start.operands(0) := isAffine ? first(0) | partialSum
      io.start.operands(2) := io.target
      io.start.program := isAffine ? ofGroup("affine") | ofGroup("finish")
      run(AwaitFinish)
    }
    is(AwaitFinish)(when(ended || isCheck) {
      io.done := True
      state := Idle
    })
  }
}

object PointUnit {

  object Operation extends SpinalEnum { val Affine, Add, Multiply, Check = newElement() }

  /** Bits of a digit of a scalar; the digits in `bits`; slots of an entry of a point's table. */
  val window: Int = Layout.digitBits
  def digits(bits: Int): Int = (bits + window - 1) / window
  val entrySlots: Int = Layout.entrySlots

  /** Slots of the lower half of a table. A program addresses the table by a and d, and its upper half and what follows it by c. */
  val upper: Int = entrySlots << (window - 1)

  /** What a multiple by a split scalar stores behind its table: a point, and a value that is 0 if the table's point is in its subgroup. */
  val resultSlots = 8
  val (memberOfFirst, memberOfSecond) = (3, 6)

  /** The verdict of a check: bit 0 on the curve, bit 1 in the subgroup, bit 2 the identity. */
  val (onCurve, inSubgroup, isIdentity) = (1, 3, 7)
}
