package proofmill.shell

import spinal.core._
import spinal.lib._

/** Receives bytes from a serial line.
  *
  * 1. idle: waits for a falling edge of the synchronised line;
  * 2. start: half a bit later the line must still be low, otherwise the edge was a glitch and is ignored;
  * 3. data: eight samples in the middle of the bits;
  * 4. stop: high completes the byte; low is a framing error (noise, a break, another rate): `broken` for a cycle, then
  * 5. high: waits until the line is high, so that a long break is one error.
  *
  * `quiet` is high while the line has been idle for `idleBytes` byte times. There is no backpressure.
  */
case class SerialReceiver(config: SerialConfig) extends Component {
  val rxd = in(Bool()) // the serial line, asynchronous; idle high
  val byte = master(Flow(Bits(8 bits))) // a pulse per byte that was received without a framing error
  val broken = out(Bool()) // pulse: a framing error
  val quiet = out(Bool()) // level: the line has been idle for `idleBytes` byte times

  val synchroniser = RegInit(B"11")
  synchroniser := rxd ## synchroniser(1)
  val high = synchroniser(0)
  val phase = Reg(UInt(config.phaseBits bits))
  val sum = phase +^ U(config.step, config.phaseBits bits)
  val tick = sum.msb
  phase := sum.resized

  object State extends SpinalEnum {
    val IDLE, START, DATA, STOP, HIGH = newElement()
  }
  val state = RegInit(State.IDLE)
  val bits = Reg(Bits(8 bits))
  val count = Reg(UInt(3 bits))

  byte.valid := False
  byte.payload := bits
  broken := False
  switch(state) {
    is(State.IDLE) {
      count := 0
      when(!high) {
        phase := U(BigInt(1) << (config.phaseBits - 1)) // half a bit has elapsed
        state := State.START
      }
    }
    is(State.START) {
      when(tick)(state := high ? State.IDLE | State.DATA)
    }
    is(State.DATA) {
      when(tick) {
        bits := high ## bits(7 downto 1)
        count := count + 1
        when(count === 7)(state := State.STOP)
      }
    }
    is(State.STOP) {
      when(tick) {
        byte.valid := high
        broken := !high
        state := high ? State.IDLE | State.HIGH
      }
    }
    is(State.HIGH) {
      when(high)(state := State.IDLE)
    }
  }

  // Bit times of the idle line; a glitch does not interrupt the count.
  val idleBits = config.idleBytes * 10
  val idle = Reg(UInt(log2Up(idleBits + 1) bits)) init 0
  quiet := idle === idleBits
  when(state =/= State.IDLE && state =/= State.START)(idle := 0) elsewhen (tick && !quiet)(idle := idle + 1)
}
