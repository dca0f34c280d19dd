package proofmill.shell

import proofmill.engine.Window
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite._

/** Routes AXI4-Lite accesses to the window of an engine, or to `rest`. The response is always OKAY.
  *
  * The engine gets one access at a time, writes first, and none while `blocked`; an access without a response is offered again after the engine's
  * reset, so none is lost. Reads and writes are independent. A read is not accepted before the previous read has its response, and likewise for
  * writes.
  */
case class WindowPort(addressBits: Int, base: Int, bytes: Int) extends Component {

  /** All accesses. */
  val axi = slave(AxiLite4(addressBits, 32))
  val rest = master(AxiLite4(addressBits, 32)) // accesses to addresses outside of the window
  val window = master(Window(base, bytes)) // accesses to the window, one at a time

  /** Level: the engine is in reset. */
  val blocked = in(Bool())

  private def inside(address: UInt): Bool = address >= base && address < base + bytes
  private def offset(address: UInt): UInt = ((address - base) >> 2 << 2).resize(log2Up(bytes))

  // Reads: destination of the outstanding one, and the engine's response.
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

  // Writes: address and data together.
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
  private val taken = both && (writeToWindow || rest.aw.ready) // the register port accepts both at once
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
  private val writing = RegInit(False) // steady while `offered`
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
