package proofmill.engine.coprocessor

import spinal.core._
import spinal.lib._

/** Instruction memory: 56 bits per slot, cleared after a reset. Both read ports have a latency of one cycle. */
class Instructions(log2: Int) extends Component {
  val io = new Bundle {

    /** A pulse starts clearing all slots. */
    val clear = in(Bool())
    val clearing = out(Bool()) // level: slots are being cleared, after `clear` or a reset; writes are ignored
    val write = slave(Flow(InstructionWrite(log2))) // an instruction and its slot, written in its cycle

    /** Read ports of the executor and of the host: a slot, always valid. */
    val fetchSlot, hostSlot = in(UInt(log2 bits))
    val fetched, hostData = out(Bits(Instructions.bits bits)) // of `fetchSlot` and of `hostSlot`, one cycle later
  }
  private val memory = Mem(Bits(Instructions.bits bits), 1 << log2)
  private val clearing = new ClearSequencer(log2, io.clear, True)
  memory.write(
    clearing.busy ? clearing.slot | io.write.slot,
    io.write.word.andMask(!clearing.busy),
    clearing.busy || io.write.valid
  )
  io.clearing := clearing.busy
  io.fetched := memory.readSync(io.fetchSlot)
  io.hostData := memory.readSync(io.hostSlot)
}

object Instructions { val bits = 56 }

case class InstructionWrite(log2: Int) extends Bundle {
  val slot = UInt(log2 bits)
  val word = Bits(Instructions.bits bits)
}

/** Generates the numbers of all slots, one in each cycle with `advance`, after a reset and after `start`. */
class ClearSequencer(log2: Int, start: Bool, advance: Bool) extends Area {
  val slot: UInt = Reg(UInt(log2 bits)) init 0
  val busy: Bool = RegInit(True)
  when(busy && advance) {
    slot := slot + 1
    busy := !slot.andR
  }
  when(start) {
    slot := 0
    busy := True
  }
}
