package proofmill.curve

import spinal.core._
import spinal.lib._

/** A closed frame of a [[BatchAdder]]. Its slots are consecutive, and so are their chains, modulo their number. */
case class Frame(slotBits: Int, chainBits: Int) extends Bundle {
  val size = UInt(slotBits + 1 bits) // pairs, at least 1
  val slot = UInt(slotBits bits) // the last slot
  val chain = UInt(chainBits bits) // chain of the last slot
  val isShort = Bool() // no chain has a second slot
  val side = Bool() // changes from frame to frame
}

/** The open frame, and the slot of the pair that enters next. */
class OpenFrame(slotBits: Int, chainBits: Int, chains: Int) extends Component {
  val io = new Bundle {
    val enters = in(Bool()) // a pair takes the slot
    val close = in(Bool()) // the frame is closed, with the pair that enters in the same cycle
    val isUsed = out(Bool()) // the frame has a pair
    val slot = out(Reg(UInt(slotBits bits)) init 0) // of the pair that enters next
    val chain = out(Reg(UInt(chainBits bits)) init 0) // chain of the slot
    val isFirst = out(Reg(Bool()) init True) // the slot is the first one of its chain
    val side = out(Reg(Bool()) init False) // of the open frame
    val closed = out(Frame(slotBits, chainBits)) // the frame, valid with `close`
  }
  private val size = Reg(UInt(slotBits + 1 bits)) init 0
  private val (lastChain, lastIsFirst) = (RegNextWhen(io.chain, io.enters), RegNextWhen(io.isFirst, io.enters))
  io.isUsed := size =/= 0
  io.closed.size := size + io.enters.asUInt
  io.closed.slot := io.enters ? io.slot | (io.slot - 1)
  io.closed.chain := io.enters ? io.chain | lastChain
  io.closed.isShort := io.enters ? io.isFirst | lastIsFirst
  io.closed.side := io.side

  when(io.enters) {
    io.slot := io.slot + 1
    io.chain := io.chain + 1
    size := size + 1
    when(io.chain === chains - 1) {
      io.chain := 0
      io.isFirst := False
    }
  }
  when(io.close) {
    size := 0
    io.chain := 0
    io.isFirst := True
    io.side := !io.side
  }
}

/** A backward step: its slot and chain, and whether it is the first one of the chain. */
case class BackwardStep(slotBits: Int, chainBits: Int) extends Bundle {
  val slot = UInt(slotBits bits)
  val chain = UInt(chainBits bits)
  val side = Bool()
  val isFirst = Bool()
}

/** Steps through a frame, last slot first, one slot in each cycle without a pause. */
class BackwardSteps(slotBits: Int, chainBits: Int, chains: Int) extends Component {
  val io = new Bundle {
    val frame = slave(Stream(Frame(slotBits, chainBits))) // accepted with the last step of the frame before
    val pause = in(Bool()) // no step in this cycle
    val step = master(Flow(BackwardStep(slotBits, chainBits))) // the step of this cycle
    val freed = master(Flow(UInt(slotBits + 1 bits))) // with the last step of a frame: its size
  }
  private val active = RegInit(False)
  private val left = Reg(UInt(slotBits + 1 bits))
  private val frame = Reg(Frame(slotBits, chainBits))
  private val isFirst = Reg(Bool())
  private val isLast = left === 1
  io.frame.ready := !active || io.step.valid && isLast
  io.step.valid := active && !io.pause
  io.step.slot := frame.slot
  io.step.chain := frame.chain
  io.step.side := frame.side
  io.step.isFirst := isFirst
  io.freed.valid := io.step.valid && isLast
  io.freed.payload := frame.size

  // The first step of a frame takes its last chain; after `chains` steps each chain has had one.
  private val firsts = Reg(UInt(log2Up(chains + 1) bits))
  when(io.step.valid) {
    left := left - 1
    frame.slot := frame.slot - 1
    frame.chain := (frame.chain === 0) ? U(chains - 1) | (frame.chain - 1)
    firsts := firsts - 1
    when(firsts === 1)(isFirst := False)
    when(isLast)(active := False)
  }
  when(io.frame.fire) {
    active := True
    frame := io.frame.payload
    left := io.frame.size
    firsts := chains
    isFirst := True
  }
}
