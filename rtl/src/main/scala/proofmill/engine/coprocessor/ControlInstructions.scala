package proofmill.engine.coprocessor

import proofmill.spec.Spec
import spinal.core._
import spinal.lib._

/** Copies, jumps and interrupts.
  *
  * | state           | action                                               | next                                                    |
  * |:----------------|:-----------------------------------------------------|:--------------------------------------------------------|
  * | CopyRead        | reads the integer of slot a                          | CopyWrite                                               |
  * | CopyWrite       | writes it to slot b                                  | Commit                                                  |
  * | CompareLeft     | reads slot b                                         | CompareRight; of a count: WriteCount, or Commit if it is 0 |
  * | CompareRight    | reads slot c, takes the jump if both are equal       | Commit                                                  |
  * | WriteCount      | writes the count less one, takes the jump            | Commit                                                  |
  * | InterruptHeader | sends the packet's header                            | InterruptIndex                                          |
  * | InterruptIndex  | sends the type and the index                         | InterruptRead                                           |
  * | InterruptRead   | reads the next slot of the value                     | InterruptSend                                           |
  * | InterruptSend   | sends its six words                                  | InterruptRead, or Commit after the last slot            |
  */
class ControlInstructions(core: ExecutorContext) {
  import ExecutorState._
  import core._

  def states(): Unit = {
    is(CopyRead) {
      data(DataOperation.ReadInteger, operands(0))
      value := io.response.value
      when(io.data.ready)(state := CopyWrite)
    }
    is(CopyWrite) {
      data(DataOperation.WriteInteger, operands(1))
      when(io.data.ready)(state := Commit)
    }
    is(CompareLeft) {
      data(DataOperation.ReadInteger, operands(1))
      value := io.response.value
      when(io.data.ready) {
        state := CompareRight
        when(isOp("jump_nonzero_sub")) {
          value := (io.response.value.asUInt - 1).asBits
          state := WriteCount
          when(io.response.value.takeLow(64) === 0)(state := Commit)
        }
      }
    }
    is(CompareRight) {
      data(DataOperation.ReadInteger, operands(2))
      when(io.data.ready) {
        when(io.response.value.takeLow(64) === value.takeLow(64))(nextPointer := operands(0).resized)
        state := Commit
      }
    }
    is(WriteCount) {
      data(DataOperation.WriteInteger, operands(1))
      io.data.slotType := types(1)
      nextPointer := operands(0).resized
      when(io.data.ready)(state := Commit)
    }
    is(InterruptHeader) {
      io.reply.valid := True
      io.reply.fragment.data := ControlInstructions.interruptHeader
      when(io.reply.ready)(state := InterruptIndex)
    }
    is(InterruptIndex) {
      io.reply.valid := True
      io.reply.fragment.data := (types(0) ## operands(1).resize(32)).resized
      when(io.reply.ready)(state := InterruptRead)
    }
    is(InterruptRead) {
      data(DataOperation.ReadInteger, operands(0) + step)
      value := io.response.value
      word := 0
      when(io.data.ready) {
        step := step + 1
        state := InterruptSend
      }
    }
    is(InterruptSend) {
      io.reply.valid := True
      io.reply.fragment.data := value.takeLow(64)
      io.reply.last := word === 5 && step === shapes(0).slots
      when(io.reply.ready) {
        word := word + 1
        value := (value >> 64).resized
        when(word === 5)(state := InterruptRead)
        when(io.reply.last)(state := Commit)
      }
    }
  }
}

object ControlInstructions {
  private val packet = Spec.table("wire/coprocessor").getTable("interrupt")

  /** The header of an interrupt packet. Its length field does not count the value. */
  val interruptHeader: BigInt = (Spec.big(packet, "number") << 32) | Spec.int(packet, "len")
}
