package proofmill.engine.coprocessor

import spinal.core._
import spinal.lib._

/** Retires the oldest instruction in flight, once its job has ended.
  *
  * A multiple is right only if its point is in the subgroup. Otherwise it is executed again, without the split of the scalar, while nothing
  * else begins.
  *
  * | state        | action                                                        | next                                |
  * |:-------------|:--------------------------------------------------------------|:------------------------------------|
  * | TestSubgroup | of a multiple: tests what its job stored about the subgroup   | StartFinish, or Replay              |
  * | StartFinish  | starts the program that makes its affine form                 | AwaitFinish                         |
  * | AwaitFinish  | waits for its end                                             | Retire                              |
  * | Retire       | marks the result's slots, removes the instruction             | Fetch                               |
  * | Replay       | puts the instruction together again and begins it             | ReadTypes                           |
  */
class RetireStage(core: ExecutorContext) {
  import ExecutorState._
  import InstructionSet.typeNumber
  import core._

  /** A slot behind the table of the oldest multiple. */
  private def behindTable(offset: Int): UInt =
    slotMap.overlapped(inFlight.io.oldestTable, 2 * PointUnit.upper + offset)

  def states(): Unit = {
    is(Retire) {
      data(DataOperation.MarkResult, oldest.results.from)
      io.data.count := oldest.results.count
      io.data.slotType := typeNumber("fe12")
      when(oldest.isMultiple)(
        io.data.slotType := oldest.inG2 ? B(typeNumber("fp2_jb"), 3 bits) | B(typeNumber("fp_jb"), 3 bits)
      )
      when(io.data.ready) {
        inFlight.io.retire := True
        lastCycles := inFlight.io.oldest.cycles
        state := Fetch
      }
    }
    is(TestSubgroup) {
      val member = oldest.inG2 ? behindTable(PointUnit.memberOfSecond) | behindTable(PointUnit.memberOfFirst)
      data(DataOperation.TestZero, member)
      io.data.count := ShapeOf.coordinate(oldest.inG2)
      when(io.data.ready)(state := io.response.good ? StartFinish | Replay)
    }
    is(StartFinish) {
      io.start.operands(0) := behindTable(0)
      io.start.operands(2) := oldest.results.from.resized
      io.start.program := oldest.inG2 ? program("g2_finish") | program("g1_finish")
      run(AwaitFinish)
    }
    is(AwaitFinish)(when(ended)(state := Retire))
    is(Replay) {
      val three = Seq(oldest.scalar, oldest.point.from, oldest.results.from).map(_.resize(16).asBits)
      checker.io.instruction.payload := Cat(B(InstructionSet.opcode("point_mult").number, 8 bits) +: three)
      begin()
      replaying := True
    }
  }
}
