package proofmill.engine.coprocessor

import spinal.core._
import spinal.lib._

/** Loads the operands of arithmetic into the pairing processor, and checks that points are on the curve or the identity. Operand a first, then b.
  *
  * | state         | action                                                   | next                                                          |
  * |:--------------|:---------------------------------------------------------|:--------------------------------------------------------------|
  * | LoadOperands  | loads the operand's residues                             | StartEquation if the operand is a point to check, else Issue; Commit with `not_reduced` |
  * | StartEquation | starts the program of the curve's equation               | AwaitEquation; of what is no point: the next operand          |
  * | AwaitEquation | waits for its end                                        | TestZ for Jacobian coordinates, TestEquation for affine ones  |
  * | TestZ         | tests Z                                                  | the next operand if it is 0, the identity; else TestEquation  |
  * | TestEquation  | tests the equation's value                               | if it is 0: StartAffine, or the next operand; else TestXY, or a wrong point |
  * | TestXY        | tests x and y, which are both 0 for the identity         | the next operand, or a wrong point                            |
  * | StartAffine   | starts the program that makes the affine form            | AwaitAffine                                                   |
  * | AwaitAffine   | waits for its end                                        | the next operand                                              |
  *
  * After operand b: Issue, or OperatePoints or IssueMultiple for instructions on points. A wrong point ends the instruction with
  * `not_on_curve`; of `point_check` it is the result 0.
  */
class OperandReader(core: ExecutorContext) {
  import ExecutorState._
  import core._

  /** Continues with operand b, or with the instruction's program. */
  private def nextOperand(): Unit = {
    operandIndex := 1
    state := StartEquation
    when(isSecond) {
      operandIndex := 0
      state := Issue
      when(PointInstructions.names.map(isOp).reduce(_ || _))(state := OperatePoints)
      when(multiplies && !shapes(1).jacobian && !replaying)(state := IssueMultiple)
    }
  }
  private def wrongPoint(): Unit = {
    refuse("not_on_curve")
    when(isOp("point_check")) {
      value := 0
      fault := 0
      state := WriteVerdict
    }
  }
  private def affineForm =
    isFirst ? U(slotMap.affineForms(0), slotMap.bits bits) | U(slotMap.affineForms(1), slotMap.bits bits)

  def states(): Unit = {
    is(LoadOperands) {
      val needed = isFirst ? areElements(0) | areElements(1)
      data(DataOperation.LoadResidues, isFirst ? operands(0) | operands(1), needed)
      io.data.count := shape.slots
      when(!needed || io.data.ready) {
        operandIndex := 1
        when(isSecond) {
          operandIndex := 0
          state := (arePoints.reduce(_ || _) && !(isPairing && bothAffine)) ? StartEquation | Issue
        }
      }
      when(needed && io.data.ready && !io.response.good)(refuse("not_reduced"))
    }
    is(StartEquation) {
      io.start.operands(0) := location(operandIndex)
      io.start.operands(2) := slotMap.equation
      io.start.program := shape.second ?
        (shape.jacobian ? program("g2_jacobian_equation") | program("g2_affine_equation")) |
        (shape.jacobian ? program("g1_jacobian_equation") | program("g1_affine_equation"))
      when(isPoint)(run(AwaitEquation)) otherwise nextOperand()
    }
    is(AwaitEquation)(when(ended)(state := shape.jacobian ? TestZ | TestEquation))
    is(TestZ) {
      data(DataOperation.TestZero, location(operandIndex) + (coordinate << 1))
      io.data.count := coordinate
      when(io.data.ready) {
        state := TestEquation
        when(io.response.good) {
          isIdentity(operandIndex) := True
          nextOperand()
        }
      }
    }
    is(TestEquation) {
      data(DataOperation.TestZero, U(slotMap.equation, slotMap.bits bits))
      io.data.count := coordinate
      when(io.data.ready) {
        when(io.response.good) {
          when(shape.jacobian)(state := StartAffine) otherwise nextOperand()
        } elsewhen shape.jacobian {
          wrongPoint()
        } otherwise (state := TestXY)
      }
    }
    is(TestXY) {
      data(DataOperation.TestZero, location(operandIndex))
      io.data.count := (coordinate << 1).resized
      when(io.data.ready) {
        isIdentity(operandIndex) := True
        nextOperand()
        when(!io.response.good)(wrongPoint())
      }
    }
    is(StartAffine) {
      io.start.operands(0) := location(operandIndex)
      io.start.operands(2) := affineForm
      io.start.program := shape.second ? program("g2_normal") | program("g1_normal")
      run(AwaitAffine)
    }
    is(AwaitAffine) {
      location(operandIndex) := affineForm
      when(ended)(nextOperand())
    }
  }
}
