package proofmill.engine.ntt

import spinal.core._
import spinal.lib._

/** Computes scale shift^i for the elements i of a beat: one factor for the beat, shift^(lanes beat), and one for each lane,
  * scale shift^lane.
  *
  * Tables hold the powers of three parts of i: the lane, and the lower and the upper half of the beat's number. They are
  * filled bit by bit of i: the present entries times shift^(2^bit) are the next entries; then that factor is squared.
  *
  *   1. Idle: looks up factors.
  *   2. Enter: converts the scale, then the shift, to residues.
  *   3. Issue: issues one product each cycle.
  *   4. Wait: waits for the write-back of the last product.
  */
class Powers(config: NttConfig, residues: Residues) extends Component {
  import config.{beatBits, laneBits, lanes, mostLog}
  private val width = residues.bits
  private val lowBits = (beatBits + 1) / 2
  private val highBits = beatBits - lowBits
  val io = new Bundle {
    val start = in(Bool()) // pulse: fills the tables
    val shift, scale = in(Bits(residues.elementBits bits)) // steady while busy
    val log = in(UInt(5 bits)) // base-2 logarithm of the size
    val busy = out(Bool()) // level: the tables are being filled
    val beat = in(UInt(beatBits bits)) // number of a beat
    val factor = out(SInt(width bits)) // valid `latency` cycles after `beat`
    val lane = out(Vec(SInt(width bits), lanes)) // factors of the lanes, steady while not busy
  }

  object State extends SpinalEnum {
    val Idle, Enter, Issue, Wait = newElement()
  }
  val state = RegInit(State.Idle)
  io.busy := state =/= State.Idle

  // Tables. `part`: 0 lanes, 1 lower half, 2 upper half; `bit` is a bit of that part.
  val lane = Vec.fill(lanes)(Reg(SInt(width bits)))
  val low = Mem(SInt(width bits), 1 << lowBits)
  val high = Mem(SInt(width bits), 1 << highBits)
  // Transforms shorter than a beat have the lane factors of their own elements.
  for (j <- 0 until lanes)
    io.lane(j) := (if (config.leastLog < laneBits && j >= 2) (io.log === 1) ? lane(j & 1) | lane(j) else lane(j))
  val part = Reg(UInt(2 bits))
  val bit = Reg(UInt(4 bits))
  val step = Reg(UInt(5 bits))
  val number = Reg(UInt(lowBits + 1 bits)) // index of the product
  val power = Reg(SInt(width bits))
  private val size = (U(1, lowBits + 1 bits) |<< bit).resize(lowBits + 1)
  private val filling = state =/= State.Idle

  // The operands of a product: two table entries, or one and the power.
  private val fromLow = low.readSync(filling ? number.resize(lowBits) | io.beat.resize(lowBits))
  private val fromHigh = high.readSync(filling ? number.resize(highBits) | (io.beat >> lowBits).resize(highBits))
  private val fromLane = RegNext(lane(number.resize(laneBits)))
  private val squares = RegNext(number === size)
  private val chosen = RegNext(part).mux(0 -> fromLane, 2 -> fromHigh, default -> fromLow)
  private val wasFilling = RegNext(filling) init False
  private val product = residues.product(
    RegNext((wasFilling && squares) ? power | (wasFilling ? chosen | fromLow)),
    RegNext(wasFilling ? power | fromHigh)
  )
  io.factor := product

  // The destination of a product.
  private val issues = state === State.Issue
  private val depth = Powers.latency(residues)
  private val arrives = Delay(issues, depth, init = False)
  private val target = Delay(number, depth)
  private val begins = io.start && state === State.Idle
  private val isSquare = target === size
  private val place = (target + size).resize(lowBits)
  private val one = S(1, width bits)
  low.write(begins ? U(0) | place, begins ? one | product, begins || arrives && !isSquare && part === 1)
  high.write(
    begins ? U(0) | place.resize(highBits),
    begins ? one | product,
    begins || arrives && !isSquare && part === 2
  )
  when(arrives && !isSquare && part === 0)(lane(place.resize(laneBits)) := product)
  when(arrives && isSquare)(power := product)

  // Conversion of the operands.
  val isShift = Reg(Bool())
  val entry = Reg(UInt(log2Up(residues.entryLatency + 2) bits))
  private val entered = residues.entered(RegNext(isShift ? io.shift | io.scale))
  private val hasEntered = entry === residues.entryLatency + 1

  switch(state) {
    is(State.Idle) {
      when(io.start) {
        state := State.Enter
        lane.tail.foreach(_ := 0)
        isShift := False
        entry := 0
        part := 0
        bit := 0
        step := 0
        number := 0
      }
    }
    is(State.Enter) {
      entry := entry + 1
      when(hasEntered) {
        entry := 0
        isShift := True
        when(isShift) {
          power := entered
          state := State.Issue
        }.otherwise(lane(0) := entered)
      }
    }
    is(State.Issue) {
      number := number + 1
      when(number === size)(state := State.Wait)
    }
    is(State.Wait) {
      number := 0
      when(arrives && isSquare) {
        step := step + 1
        bit := bit + 1
        val last = part.mux(0 -> U(laneBits - 1), default -> U(lowBits - 1)).resize(4)
        when(bit === last) {
          bit := 0
          part := part + 1
        }
        state := (step + 1 === io.log) ? State.Idle | State.Issue
      }
    }
  }
  require(mostLog >= laneBits)
}

object Powers {

  /** Cycles from a beat's number to its factor, and from a product's index to the product. */
  def latency(residues: Residues): Int = 2 + residues.latency
}
