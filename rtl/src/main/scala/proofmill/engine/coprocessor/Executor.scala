package proofmill.engine.coprocessor

import spinal.core._
import spinal.lib._

/** Executes a program: fetches, decodes, checks and dispatches its instructions in order, and retires them in order.
  *
  * Pairings, Miller loops, final exponentiations and multiples overlap: such an instruction stays in [[InFlightTable]] while later ones begin,
  * unless one of them has a hazard with it. All its errors are known before the next one begins. Every other instruction, and every one with
  * points in Jacobian coordinates (whose affine forms have one place), waits until none is in flight. Results are written in program order,
  * and the visible pointer is that of the oldest instruction. Only an instruction that is refused, or whose result is 1, ends before those in flight.
  *
  * | state     | event                                    | action                                              | next                                        |
  * |:----------|:-----------------------------------------|:----------------------------------------------------|:--------------------------------------------|
  * | Fetch     | the oldest instruction in flight ended   |                                                     | Retire; TestSubgroup for a multiple         |
  * |           | the host wrote the pointer               | takes it, once nothing is in flight                 | Fetch                                       |
  * |           | otherwise                                | reads the slot at the pointer                       | Decode                                      |
  * | Decode    | `noop_wait`                              |                                                     | Fetch                                       |
  * |           | any other instruction                    | registers it                                        | ReadTypes                                   |
  * | ReadTypes |                                          | reads the types of a and b                          | Check                                       |
  * | Check     |                                          | waits for the checker                               | Dispatch                                    |
  * | Dispatch  | a hazard, or it cannot overlap           |                                                     | Fetch                                       |
  * |           | a fault                                  | notes the first one                                 | Commit                                      |
  * |           | jump                                     | sets the next pointer                               | Commit                                      |
  * |           | copy, comparison, count, interrupt       |                                                     | [[ControlInstructions]]                     |
  * |           | multiple                                 |                                                     | ReadScalar, [[PointInstructions]]           |
  * |           | otherwise                                |                                                     | LoadOperands, [[OperandReader]]             |
  * | Commit    |                                          | moves the pointer, keeps the first error and cycles | Fetch                                       |
  *
  * From [[OperandReader]] arithmetic and pairings go on in [[ProgramInstructions]], points in [[PointInstructions]]. [[RetireStage]] ends
  * instructions in flight. An instruction that is refused leaves its error and changes nothing else.
  */
class Executor(config: CoprocessorConfig, slotMap: SlotMap) extends Component {
  import ExecutorState._
  val io = new ExecutorPorts(config, slotMap)
  private val core = new ExecutorContext(io, config, slotMap)
  import core._
  private val control = new ControlInstructions(core)
  private val reader = new OperandReader(core)
  private val programs = new ProgramInstructions(core)
  private val points = new PointInstructions(core, config)
  private val retirement = new RetireStage(core)

  // The host's pointer.
  private val jumpPending = RegInit(False)
  private val jumpTarget = RegNextWhen(wrapped(io.jump.payload), io.jump.valid)

  switch(state) {
    is(Fetch) {
      state := Decode
      when(jumpPending)(state := Fetch)
      when(inFlight.io.oldestEnded)(state := oldest.isMultiple ? TestSubgroup | Retire)
    }
    retirement.states()
    is(Decode) {
      nextPointer := sequential
      begin()
      when(io.fetched.takeLow(8) === InstructionSet.opcode("noop_wait").number)(state := Fetch)
    }
    is(ReadTypes) {
      location := Vec(operands.take(2).map(_.resize(slotMap.bits)))
      state := Check
    }
    is(Check)(state := Dispatch)
    is(Dispatch) {
      state := LoadOperands
      when(isOp("copy_reg"))(state := CopyRead)
      when(isOp("jump")) {
        nextPointer := operands(0).resized
        state := Commit
      }
      when(isOp("jump_if_eq") || isOp("jump_nonzero_sub"))(state := CompareLeft)
      when(isOp("send_interrupt"))(state := InterruptHeader)
      when(multiplies)(state := ReadScalar)
      for ((name, i) <- InstructionChecker.order.zipWithIndex.reverse) when(checker.io.faults(i))(refuse(name))
      when(mustWait)(state := Fetch)
    }
    control.states()
    reader.states()
    programs.states()
    points.states()
    is(Commit) {
      pointer := (fault === 0) ? nextPointer | sequential
      when(checker.io.arithmetic)(lastCycles := cycles)
      when(fault =/= 0 && error === 0)(
        error := (replaying ? oldest.slot | pointer).asBits.resize(16) ## fault.asBits.resize(16)
      )
      when(replaying) {
        pointer := pointer
        lastCycles := inFlight.io.oldest.cycles
        inFlight.io.retire := True
        replaying := False
      }
      state := Fetch
    }
  }
  when(state === Fetch && jumpPending && !inFlight.io.any) {
    pointer := jumpTarget
    jumpPending := False
  }
  when(io.jump.valid)(jumpPending := True)
  when(io.clearError)(error := 0)

  io.fetchSlot := pointer
  io.pointer := jumpPending ? jumpTarget | (inFlight.io.any ? oldest.slot | pointer)
  io.error := error
  io.lastCycles := lastCycles
  io.executed := state === Commit || inFlight.io.retire
  io.sent := io.reply.fire && io.reply.last
  io.busy := state =/= Fetch && state =/= Decode || inFlight.io.any
}
