package proofmill.engine.coprocessor

import proofmill.pairing.PairingMachine
import spinal.core._
import spinal.lib._

/** States of an [[Executor]]. */
object ExecutorState extends SpinalEnum(binaryOneHot) {
  val Fetch, Decode, ReadTypes, Check, Dispatch = newElement()
  val CopyRead, CopyWrite, CompareLeft, CompareRight, WriteCount = newElement()
  val InterruptHeader, InterruptIndex, InterruptRead, InterruptSend = newElement()
  val LoadOperands, StartEquation, AwaitEquation, TestZ, TestEquation, TestXY = newElement()
  val StartAffine, AwaitAffine, Issue, Execute, WriteBack, WriteOnes, Commit = newElement()
  val AwaitChecks, TestChecks, Abandon, Detach, Retire = newElement()
  val ReadScalar, OperatePoints, WriteVerdict = newElement()
  val IssueMultiple, TestSubgroup, StartFinish, AwaitFinish, Replay = newElement()
}

/** The current instruction, the registers and the ports that the parts of an [[Executor]] share.
  *
  * The context assigns the inactive values of ports and flows; a part overrides them in its states.
  */
class ExecutorContext(val io: ExecutorPorts, config: CoprocessorConfig, val slotMap: SlotMap) extends Area {
  import ExecutorState._
  import InstructionSet.{typeNumber, _}
  val pairing: PairingMachine = config.machine
  val bits: Int = pairing.field.bits
  val (log2, log2Instructions) = (config.log2Data, config.log2Instructions)
  val state = RegInit(Fetch)

  // 1. The instruction: where it is, what it is, and its error.
  val pointer = Reg(UInt(log2Instructions bits)) init 0
  val checker = new InstructionChecker
  checker.io.beyondData := ExecutorContext.beyond(io.dataLog2, config.log2Data)
  checker.io.beyondInstructions := ExecutorContext.beyond(io.instructionsLog2, config.log2Instructions)
  checker.io.instruction.valid := False
  checker.io.instruction.payload := io.fetched
  checker.io.readTypes := state === ReadTypes
  checker.io.types := io.types
  val operands = checker.io.operands
  val shapes = checker.io.shapes
  val types = checker.io.operandTypes
  val (arePoints, areElements) = (checker.io.arePoints, checker.io.areElements)
  io.typeSlots := Vec(operands.take(2).map(_.resize(log2)))
  def isOp(name: String): Bool = checker.io.isOpcode(opcodes.indexOf(InstructionSet.opcode(name)))
  def isAny(names: String*): Bool = names.map(isOp).orR
  val multiplies = isOp("point_mult")
  val usesLines = isOp("miller_lines")
  val isPairing = isOp("miller_loop") || isOp("ate_pairing") || usesLines
  val bothAffine = !shapes(0).jacobian && !shapes(1).jacobian

  /** Instruction slots wrap at the number that programs have. */
  def wrapped(slot: UInt): UInt = slot & ~checker.io.beyondInstructions.resize(log2Instructions).asUInt
  val sequential = wrapped(pointer + 1)
  val nextPointer = Reg(UInt(log2Instructions bits))
  val fault = Reg(UInt(3 bits))
  def refuse(name: String): Unit = {
    fault := errors(name)
    state := Commit
  }
  val cycles = Reg(UInt(32 bits)) // of this instruction
  cycles := cycles + 1
  val lastCycles = Reg(UInt(32 bits)) init 0
  val error = Reg(Bits(32 bits)) init 0

  // 2. Its operands. `second`: the operand that is processed is b.
  val operandIndex = Reg(UInt(1 bits))
  val isFirst = operandIndex === 0
  val isSecond = operandIndex === 1
  val location = Vec(Seq.fill(2)(Reg(UInt(slotMap.bits bits)))) // of their coordinates
  val isIdentity = Vec(Seq.fill(2)(Reg(Bool())))
  val shape = isFirst ? shapes(0) | shapes(1)
  val isPoint = isFirst ? arePoints(0) | arePoints(1)
  val coordinate = ShapeOf.coordinate(shape.second)
  val inG2 = multiplies ? shapes(1).second | shapes(0).second
  val pointsChecked = Reg(Bool()) // both points were checked by programs of their own
  val step, word = Reg(UInt(4 bits))
  val value = Reg(Bits(bits bits))

  // 3. Its result: the first slot, the number of slots, their type.
  private val toB = isOp("inv") || isOp("final_exp") || isOp("point_affine") || isOp("point_check")
  val target = RegNext(toB ? operands(1) | operands(2))
  val targetSlots = toB ? shapes(1).slots | shapes(2).slots
  val targetType = CombInit(types(0))
  when(isPairing || isOp("final_exp"))(targetType := typeNumber("fe12"))
  when(multiplies || isOp("point_add"))(targetType := inG2 ? B(typeNumber("fp2_jb")) | B(typeNumber("fp_jb")))
  when(isOp("point_affine"))(targetType := inG2 ? B(typeNumber("fp2_af")) | B(typeNumber("fp_af")))
  when(isOp("point_check"))(targetType := typeNumber("scalar"))

  // 4. Instructions in flight.
  val context = RegNextWhen(io.startContext, io.start.fire) // of the program that was started last
  val ended = io.ended(context)
  val inFlight = new InFlightTable(pairing.contexts, log2, log2Instructions, slotMap.overlapped)
  val oldest = inFlight.io.oldest.instruction
  val replaying = RegInit(False) // the oldest one, a multiple, is executed again
  private val overlaps =
    usesLines || Seq("miller_loop", "ate_pairing", "final_exp", "point_mult").map(isOp).orR
  val canOverlap = overlaps && (bothAffine || isOp("final_exp"))
  private val others = inFlight.io.any && !replaying
  val mustWait =
    RegNext(others && (!canOverlap || inFlight.io.full || multiplies && inFlight.io.allTablesUsed)) ||
      RegNext(others) && inFlight.io.hazard
  private val results = SlotRange(log2)
  results.from := target.resized
  results.count := targetSlots
  inFlight.io.ended := io.ended
  inFlight.io.elapsed := cycles
  inFlight.io.retire := False
  inFlight.io.operands := Vec((0 until 3).map { i =>
    val range = SlotRange(log2)
    range.from := operands(i).resized
    range.count := shapes(i).slots
    range
  })
  inFlight.io.results := results
  inFlight.io.issue.valid := False
  inFlight.io.issue.context := context
  inFlight.io.issue.instruction.slot := pointer
  inFlight.io.issue.instruction.results := results
  inFlight.io.issue.instruction.isMultiple := multiplies
  inFlight.io.issue.instruction.inG2 := inG2
  inFlight.io.issue.instruction.scalar := operands(0).resized
  inFlight.io.issue.instruction.rereads := multiplies || usesLines
  inFlight.io.issue.instruction.point.from := operands(1).resized
  inFlight.io.issue.instruction.point.count := shapes(1).slots

  // 5. Ports.
  io.data.valid := False
  io.data.operation := DataOperation.ReadInteger
  io.data.slot := operands(0).resized
  io.data.count := 1
  io.data.value := value
  io.data.slotType := types(0)
  io.start.valid := False
  io.start.program := 0
  io.start.operands :=
    Vec(location(0), location(1), operands(2).resize(slotMap.bits), U(slotMap.equation, slotMap.bits bits))
  io.verdict.valid := False
  io.verdict.good := True
  io.verdict.context := context
  io.reply.valid := False
  io.reply.last := False
  io.reply.fragment.keep := 0xff
  io.reply.fragment.data := 0

  /** Requests an operation of data memory; `io.data.ready` is its end. */
  def data(operation: SpinalEnumElement[DataOperation.type], slot: UInt, when: Bool = True): Unit = {
    io.data.valid := when
    io.data.operation := operation
    io.data.slot := slot.resized
  }

  /** Starts the program at `io.start`; the next state is `next` when it was accepted. */
  def run(next: SpinalEnumElement[ExecutorState.type]): Unit = {
    io.start.valid := True
    when(io.start.ready)(state := next)
  }
  def program(name: String): UInt = U(pairing.program(name), io.start.program.getWidth bits)

  /** Begins the instruction at the checker. */
  def begin(): Unit = {
    checker.io.instruction.valid := True
    cycles := 1
    fault := 0
    operandIndex := 0
    step := 0
    isIdentity.foreach(_ := False)
    pointsChecked := False
    state := ReadTypes
  }
}

object ExecutorContext {

  /** The bits that a number below 2^`log2` does not have, where `log2` is from what is published to `most`. */
  private def beyond(log2: UInt, most: Int): Bits =
    Cat((0 until InstructionChecker.operandBits).map { bit =>
      if (bit < CoprocessorConfig.published) False else if (bit >= most) True else RegNext(log2 <= bit)
    })
}
