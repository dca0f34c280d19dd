package proofmill.engine.coprocessor

import spinal.core._
import spinal.lib._

/** Runs the program of an arithmetic instruction or of a pairing, and writes its result back.
  *
  * A pairing's program checks its affine operands itself: it stores what must be 0 and waits for a verdict before it stores a result.
  *
  * | state       | action                                                   | next                                                       |
  * |:------------|:---------------------------------------------------------|:-----------------------------------------------------------|
  * | Issue       | starts the program                                       | Execute; AwaitChecks for a pairing; WriteOnes if a point is the identity |
  * | AwaitChecks | counts the checks that the program has stored            | TestChecks; Execute with a good verdict if the points were checked before |
  * | TestChecks  | tests the stored checks, sends the verdict               | Execute, or Abandon                                        |
  * | Abandon     | waits until the program has ended                        | StartEquation: checks point by point, for the right error  |
  * | Execute     | waits for the program                                    | WriteBack; Detach at once if the instruction can overlap   |
  * | Detach      | leaves the instruction in the in-flight table            | Fetch                                                      |
  * | WriteBack   | marks the result's slots and their type                  | Commit                                                     |
  * | WriteOnes   | writes the result 1, one slot at a time                  | Commit                                                     |
  */
class ProgramInstructions(core: ExecutorContext) {
  import ExecutorState._
  import core._
  private val checks = usesLines ? U(1, step.getWidth bits) | U(ProgramInstructions.checks, step.getWidth bits)

  def states(): Unit = {
    is(Issue) {
      io.start.operands(2) := target.resized
      for (name <- Seq("miller_loop", "miller_lines", "ate_pairing", "final_exp"))
        when(isOp(name))(io.start.program := program(name))
      for (name <- Seq("add", "sub", "mul", "inv"); (field, slots) <- Seq("fe" -> 1, "fe2" -> 2, "fe12" -> 12))
        when(isOp(name) && shapes(0).slots === slots)(io.start.program := program(s"${field}_$name"))
      when(isPairing && (isIdentity(0) || isIdentity(1)))(state := WriteOnes) otherwise {
        run(Execute)
        when(io.start.ready && isPairing)(state := AwaitChecks)
      }
      step := 0
    }
    is(AwaitChecks) {
      when(io.checked)(step := step + 1)
      when(step === checks) {
        step := 0
        state := TestChecks
        when(!bothAffine || pointsChecked) {
          io.verdict.valid := True
          state := Execute
        }
      }
    }
    is(TestChecks) {
      data(DataOperation.TestZero, U(slotMap.equation, slotMap.bits bits))
      io.data.count := usesLines ? ShapeOf.coordinate(False) | U(3, ShapeOf.countBits bits)
      when(io.data.ready) {
        io.verdict.valid := True
        io.verdict.good := io.response.good
        state := io.response.good ? Execute | Abandon
      }
    }
    is(Abandon) {
      pointsChecked := True
      when(ended)(state := StartEquation)
    }
    is(Execute) {
      when(canOverlap) {
        inFlight.io.issue.valid := True
        state := Detach
      } elsewhen ended(state := WriteBack)
    }
    is(Detach) {
      pointer := nextPointer
      state := Fetch
    }
    is(WriteBack) {
      data(DataOperation.MarkResult, target)
      io.data.count := targetSlots
      io.data.slotType := targetType
      when(io.data.ready)(state := Commit)
    }
    is(WriteOnes) {
      data(DataOperation.WriteInteger, target + step)
      io.data.value := B(1, bits bits).andMask(step === 0)
      io.data.slotType := targetType
      when(io.data.ready) {
        step := step + 1
        when(step + 1 === targetSlots)(state := Commit)
      }
    }
  }
}

object ProgramInstructions {

  /** Checks that the program of a pairing stores: of a in G1, of b in G2 if that is a point. */
  private val checks = 2
}
