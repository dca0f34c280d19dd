package proofmill.engine.ecdsa_verify

import proofmill.micro.{Item, ItemList}
import spinal.core._
import spinal.lib._
import spinal.lib.fsm._

/** An item and its position, from 0 up. */
case class Placed(list: ItemList) extends Bundle {
  val place = UInt(log2Up(list.items) bits)
  val item = Item(list)
}

/** Recodes both halves into items of their non-adjacent forms, from the lowest digit on; at the same place k1's first.
  *
  * The remainder of a half at the current place is k + carry. If the lowest bit equals the carry, it is even, and the digit is 0. Otherwise the digit is
  * (k mod 2^w) + carry, less 2^w if bit w - 1 is set: its magnitude is odd, half of it is bits w-2 … 1, complemented if the digit is negative, and
  * bit w - 1 is the next carry. In the remainder all of these w bits equal that carry.
  *
  *   1. Idle: accepts k1, k2.
  *   2. Scan: an item per cycle; shifts by 4, 2, 1 or 0 places, as far as neither half has a digit.
  *   3. Done: both remainders are 0; offers the number of items.
  *
  * About 55 cycles for secp256k1, at most the number of places and items together.
  */
class Recode(plan: ScalarPlan, halfBits: Int) extends Component {
  private val window = plan.window
  private val list = plan.q
  require(window >= 4 && window < halfBits, s"a window of $window: moves are up to 4 places")
  val io = new Bundle {
    val in = slave(Stream(Vec.fill(2)(Bits(halfBits bits)))) // the halves k1 and k2, signed; accepted in Idle
    val item = master(Flow(Placed(list))) // items from the lowest place on, at most one per cycle; no back-pressure
    val done = master(Stream(UInt(log2Up(list.items + 1) bits))) // the number of items
  }
  val k = Vec.fill(2)(Reg(Bits(halfBits bits)))
  val carry = Vec.fill(2)(Reg(Bool()))
  val place = Reg(UInt(log2Up(halfBits + 1) bits))
  val last = Reg(UInt(log2Up(halfBits + 1) bits)) // place of the previous item
  val size = Reg(UInt(log2Up(list.items + 1) bits))

  private def like(bits: Bits, carry: Bool) = bits === B(bits.getWidth bits, default -> carry)
  private val odd = k.zip(carry).map { case (k, carry) => k(0) =/= carry }
  private val emits = Seq(odd(0), odd(1) && !odd(0))
  private val minus = k.map(_(window - 1))
  private def free(places: Int) = (0 until 2).map(i => emits(i) || like(k(i).takeLow(places), carry(i))).andR
  private val left = k.zip(emits.zip(minus)).map { case (k, (emit, minus)) =>
    k.dropLow(window) ## (emit ? B(window bits, default -> minus) | k.takeLow(window))
  }

  private val second = !odd(0)
  private val chosen = second ? k(1) | k(0)
  private val sign = chosen(window - 1)
  io.item.valid := False
  io.item.place := size.resized
  io.item.item.magnitude := (second ## (chosen(1, window - 2 bits) ^ B(window - 2 bits, default -> sign))).asUInt
  io.item.item.minus := sign
  io.item.item.count := (place - last).resized
  io.in.ready := False
  io.done.valid := False
  io.done.payload := size

  val fsm = new StateMachine {
    val Idle, Scan, Done = new State
    setEntry(Idle)
    Idle.whenIsActive {
      io.in.ready := True
      k := io.in.payload
      carry.foreach(_ := False)
      place := 0
      last := 0
      size := 0
      when(io.in.valid)(goto(Scan))
    }
    Scan.whenIsActive {
      for (i <- 0 until 2) {
        val moved = left(i).asSInt
        k(i) := (free(4) ? (moved |>> 4) | (free(2) ? (moved |>> 2) | (free(1) ? (moved |>> 1) | moved))).asBits
        when(emits(i))(carry(i) := minus(i))
      }
      place := place + (free(4) ? U(4, 3 bits) | (free(2) ? U(2) | free(1).asUInt.resized))
      when(odd.orR) {
        io.item.valid := True
        last := place
        size := size + 1
      }
      when(k.zip(carry).map { case (k, carry) => like(k, carry) }.andR)(goto(Done))
    }
    Done.whenIsActive {
      io.done.valid := True
      when(io.done.ready)(goto(Idle))
    }
  }
}

/** Recodes u1 into items of Booth digits, from the lowest window on; a window per cycle.
  *
  * A window b with the bit below it is the digit b + below, less 2^w if its top bit is set; -2^(w-1) … 2^(w-1). The magnitude less 1 is b, complemented
  * if the digit is negative, and 1 less if the bit below equals the sign. A digit is 0 if all of these bits are equal.
  */
class Comb(plan: ScalarPlan) extends Component {
  private val list = plan.g
  private val width = plan.windows * plan.comb
  val io = new Bundle {
    val in = slave(Stream(Bits(plan.bits bits))) // signed
    val item = master(Flow(Placed(list))) // items from the lowest window on, at most one per cycle; no back-pressure
    val done = master(Stream(UInt(log2Up(list.items + 1) bits))) // the number of items
  }
  val u = Reg(Bits(width + 1 bits)) // with the bit below
  val window = Reg(UInt(log2Up(plan.windows + 1) bits))
  val size = Reg(UInt(log2Up(list.items + 1) bits))
  val busy = RegInit(False)

  private val digit = u.takeLow(plan.comb + 1)
  private val sign = digit.msb
  private val turned = (digit(1, plan.comb - 1 bits) ^ B(plan.comb - 1 bits, default -> sign)).asUInt
  private val over = window === plan.windows
  io.item.valid := busy && !over && digit.orR && !digit.andR
  io.item.place := size.resized
  io.item.item.magnitude := (window @@ (turned - (digit.lsb === sign).asUInt.resize(plan.comb - 1))).resized
  io.item.item.minus := sign
  io.item.item.count := 0
  io.in.ready := !busy
  io.done.valid := busy && over
  io.done.payload := size

  when(io.in.fire) {
    u := (io.in.payload.asSInt.resize(width) ## False)
    window := 0
    size := 0
    busy := True
  }
  when(busy && !over) {
    u := u |>> plan.comb
    window := window + 1
    when(io.item.valid)(size := size + 1)
  }
  when(io.done.fire)(busy := False)
}
