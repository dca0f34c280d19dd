package proofmill.engine.coprocessor

import spinal.core._
import spinal.lib._

/** Instruction memory: 56 bits a slot, full of 0 after a reset. The values of both readers are there a cycle after their addresses. */
class Instructions(log2: Int) extends Component {
  val io = new Bundle {
    val clear = in(Bool())
    val clearing = out(Bool())
    val write = slave(Flow(InstructionWrite(log2)))
    val fetch, show = in(UInt(log2 bits))
    val fetched, shown = out(Bits(Instructions.bits bits))
  }
  private val memory = Mem(Bits(Instructions.bits bits), 1 << log2)
  private val clearing = new Clearing(log2, io.clear, True)
  memory.write(
    clearing.busy ? clearing.slot | io.write.slot,
    io.write.word.andMask(!clearing.busy),
    clearing.busy || io.write.valid
  )
  io.clearing := clearing.busy
  io.fetched := memory.readSync(io.fetch)
  io.shown := memory.readSync(io.show)
}

object Instructions { val bits = 56 }

case class InstructionWrite(log2: Int) extends Bundle {
  val slot = UInt(log2 bits)
  val word = Bits(Instructions.bits bits)
}

/** Goes through all slots, one whenever `moves`, after a reset and when it is asked to. */
class Clearing(log2: Int, asked: Bool, moves: Bool) extends Area {
  val slot: UInt = Reg(UInt(log2 bits)) init 0
  val busy: Bool = RegInit(True)
  when(busy && moves) {
    slot := slot + 1
    busy := !slot.andR
  }
  when(asked) {
    slot := 0
    busy := True
  }
}
