package proofmill.shell

import proofmill.engine.Window
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite._

/** AXI4-Lite with some addresses that an engine answers; all others go on to `rest`. Always answered with OKAY.
  *
  * One access at a time goes to the engine, a write first. While `blocked`, when the engine is in reset, none does; one that has not been
  * answered then is offered anew afterwards, so a reset loses none.
  *
  * Reads and writes are apart. A read that goes on must be answered before one of the engine's is, and the other way round.
  */
case class WindowDoor(addressBits: Int, base: Int, bytes: Int) extends Component {
  val axi = slave(AxiLite4(addressBits, 32))
  val rest = master(AxiLite4(addressBits, 32))
  val window = master(Window(base, bytes))
  val blocked = in(Bool())

  private def inside(address: UInt): Bool = address >= base && address < base + bytes
  private def offset(address: UInt): UInt = ((address - base) >> 2 << 2).resize(log2Up(bytes))

  // Reads: whose answer is awaited, and the engine's.
  private val readsRest, readsWindow, readAnswers = RegInit(False)
  private val readOffset = Reg(UInt(log2Up(bytes) bits))
  private val answer = Reg(Bits(32 bits))
  private val readsNone = !readsRest && !readsWindow
  private val toWindow = inside(axi.ar.addr)
  rest.ar.valid := axi.ar.valid && !toWindow && readsNone
  rest.ar.payload := axi.ar.payload
  axi.ar.ready := readsNone && (toWindow || rest.ar.ready)
  when(axi.ar.fire) {
    readsWindow := toWindow
    readsRest := !toWindow
    readOffset := offset(axi.ar.addr)
  }
  axi.r.valid := rest.r.valid || readAnswers
  axi.r.data := readAnswers ? answer | rest.r.data
  axi.r.setOKAY()
  rest.r.ready := axi.r.ready
  when(axi.r.fire) {
    readsWindow := False
    readsRest := False
    readAnswers := False
  }

  // Writes: both halves together.
  private val writesRest, writesWindow, writeAnswers = RegInit(False)
  private val writeOffset = Reg(UInt(log2Up(bytes) bits))
  private val written = Reg(Bits(32 bits))
  private val writesNone = !writesRest && !writesWindow
  private val both = axi.aw.valid && axi.w.valid && writesNone
  private val writeToWindow = inside(axi.aw.addr)
  rest.aw.valid := both && !writeToWindow
  rest.w.valid := both && !writeToWindow
  rest.aw.payload := axi.aw.payload
  rest.w.payload := axi.w.payload
  private val taken = both && (writeToWindow || rest.aw.ready) // the door takes both halves at once
  axi.aw.ready := taken
  axi.w.ready := taken
  when(taken) {
    writesWindow := writeToWindow
    writesRest := !writeToWindow
    writeOffset := offset(axi.aw.addr)
    written := axi.w.data
  }
  axi.b.valid := rest.b.valid || writeAnswers
  axi.b.setOKAY()
  rest.b.ready := axi.b.ready
  when(axi.b.fire) {
    writesWindow := False
    writesRest := False
    writeAnswers := False
  }

  // The engine.
  private val writing = RegInit(False) // what is offered stays what it is
  private val offered = RegInit(False)
  private val wantsWrite = writesWindow && !writeAnswers
  private val wantsRead = readsWindow && !readAnswers
  when(!offered) {
    writing := wantsWrite
    offered := (wantsWrite || wantsRead) && !blocked
  }
  when(blocked)(offered := False)
  window.access.valid := offered && !blocked
  window.access.write := writing
  window.access.offset := writing ? writeOffset | readOffset
  window.access.data := written
  when(window.access.fire) {
    offered := False
    when(writing)(writeAnswers := True) otherwise (readAnswers := True)
    answer := window.answer
  }
}
