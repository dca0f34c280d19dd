package proofmill.engine.ntt

import spinal.core._
import spinal.lib._

/** One beat of a stream without backpressure: one element for each lane. */
case class Beat(width: Int, count: Int) extends Bundle {
  val lanes = Vec(Bits(width bits), count)
}

/** Permutes blocks of elements according to an [[Arrangement]]. It accepts and returns one beat each cycle.
  *
  * It has space for at least two blocks: one enters while another leaves. The bank of an element is its lane exclusive or the
  * bits of the time that become lane bits, so the elements of a beat are in different banks both before and after. An
  * element's address in its bank is the time of its arrival.
  *
  *   - Input: a beat of a block may arrive after the block was claimed, which is allowed while `room` is high (a credit).
  *   - Output: a block leaves in consecutive cycles, except for pauses in front of beats whose number is a multiple of
  *     2^`next`: there, the claim of a block in the next stage waits for `nextRoom`. Beats are counted from `start` on.
  *
  * @param choices the arrangements; `choice` is steady while any beat is in flight
  * @param blocks a power of two. A claimed block occupies its space, so more than two are needed where blocks arrive late
  */
class Shuffle(width: Int, laneBits: Int, choices: Seq[Arrangement], blocks: Int) extends Component {
  private val lanes = 1 << laneBits
  private val timeBits = choices.map(_.bits).max - laneBits
  val io = new Bundle {
    val choice = in(UInt(log2Up(choices.size) bits)) // index of the arrangement; steady while any beat is in flight
    val start = in(Bool()) // pulse: a pass begins; no beat is in flight
    val claim = in(Bool()) // pulse: a block of `input` is claimed, only while `room`
    val room = out(Bool()) // level: there is space for a block
    val input = slave(Flow(Beat(width, lanes))) // beats of claimed blocks
    val next = in(UInt(4 bits)) // steady while any beat is in flight
    val nextRoom = in(Bool()) // level: the next stage has space for a block
    val nextClaim = out(Bool()) // pulse: a block of `output` is claimed
    val output = master(Flow(Beat(width, lanes))) // permuted beats
  }

  private def chosen[T <: Data](values: Seq[T]): T = if (values.size == 1) values.head else Vec(values)(io.choice)
  private def bit(time: UInt, symbol: String, positions: Seq[String]): Bool = time(positions.indexOf(symbol) - laneBits)
  private val last = chosen(choices.map(c => U((1 << (c.bits - laneBits)) - 1, timeBits bits)))

  /** Each lane bit before, with the bit that replaces it after; pairs of unchanged bits have the same bit twice. */
  private val pairs = choices.map { c =>
    val (before, after) = (c.in.take(laneBits), c.out.take(laneBits))
    val come = after.zipWithIndex.filterNot { case (bit, _) => before.contains(bit) }
    val go = before.indices.filterNot(j => after.contains(before(j)))
    // A new lane bit replaces the lane bit that moves to its position in the time, if there is one.
    val here = come.filter { case (_, p) => go.contains(p) }
    val others = come.filterNot(here.contains).zip(go.filterNot(here.map(_._2).contains))
    val partner = (here.map { case (bit, p) => p -> bit } ++ others.map { case ((bit, _), j) => j -> bit }).toMap
    before.zipWithIndex.map { case (bit, j) => (bit, partner.getOrElse(j, bit)) }
  }

  /** The mask between an element's lane and its bank, from the time of its arrival, and from the time of its departure. */
  def turnIn(time: UInt): Bits = turnAt(time, _.in, _._2)
  def turnOut(time: UInt): Bits = turnAt(time, _.out, _._1)
  private def turnAt(time: UInt, positions: Arrangement => Seq[String], symbol: ((String, String)) => String): Bits =
    chosen(choices.zip(pairs).map { case (c, pairs) =>
      Cat(pairs.map(pair => if (pair._1 == pair._2) False else bit(time, symbol(pair), positions(c))))
    })

  // Blocks: claimed, and full.
  private def number = RegInit(U(0, log2Up(blocks) bits))
  val free = Reg(UInt(log2Up(blocks + 1) bits)) init blocks
  val full = Vec(Seq.fill(blocks)(RegInit(False)))
  val done = Bool()
  free := free + done.asUInt - io.claim.asUInt
  io.room := free =/= 0

  // Input.
  val into = new Area {
    val time = Reg(UInt(timeBits bits)) init 0
    val block = number
    when(io.input.valid) {
      time := time + 1
      when(time === last) {
        time := 0
        block := block + 1
        full(block) := True
      }
    }
    val banks = RegNext(Shuffle.exchanged(io.input.lanes, turnIn(time)))
    val valid = RegNext(io.input.valid) init False
    val place = RegNext(block ## time)
  }

  // Output.
  val outOf = new Area {
    val time = Reg(UInt(timeBits bits)) init 0
    val block = number
    val count = Reg(UInt(NttConfig.passBits + 1 bits)) init 0
    private val within = RegNext(Shuffle.below(io.next))
    val atBorder = RegInit(True) // computed when the beat before leaves
    val go = full(block) && (!atBorder || io.nextRoom)
    io.nextClaim := go && atBorder
    val ends = go && time === last
    when(go) {
      time := time + 1
      count := count + 1
      atBorder := ((count + 1) & within) === 0
    }
    when(io.start) {
      count := 0
      atBorder := True
    }
    when(ends) {
      time := 0
      block := block + 1
      full(block) := False
    }
    done := ends

    val turn = RegNext(turnOut(time))
    val places = (0 until lanes).map { bank =>
      RegNext(block ## chosen(choices.zip(pairs).map { case (c, pairs) =>
        Cat((0 until timeBits).map { i =>
          c.in.lift(laneBits + i).fold[Bool](False) { symbol =>
            pairs.indexWhere { case (bit, partner) => partner == symbol && bit != partner } match {
              case -1 => Shuffle.this.bit(time, symbol, c.out)
              case j  => Bool((bank >> j & 1) == 1) ^ Shuffle.this.bit(time, pairs(j)._1, c.out)
            }
          }
        })
      }))
    }
    val valid = RegNext(go) init False
  }

  val memories = Seq.fill(lanes)(Mem(Bits(width bits), blocks << timeBits))
  val read = memories.zipWithIndex.map { case (memory, bank) =>
    memory.write(into.place.asUInt, into.banks(bank), into.valid)
    memory.readSync(outOf.places(bank).asUInt)
  }

  /** Ordered by the bits of the bank number; each output lane selects its element. */
  val turned = RegNext(Shuffle.exchanged(Vec(read), RegNext(outOf.turn)))
  private val orders = choices.zip(pairs).map { case (c, pairs) =>
    c.out.take(laneBits).map(symbol => pairs.indexWhere(_._2 == symbol))
  }
  private val distinct = orders.distinct
  private val order = Vec(orders.map(o => U(distinct.indexOf(o), log2Up(distinct.size max 2) bits)))(io.choice)
  private val ordered = Vec((0 until lanes).map { lane =>
    val sources = distinct.map(o => o.zipWithIndex.map { case (part, p) => (lane >> p & 1) << part }.sum)
    if (sources.distinct.size == 1) turned(sources.head)
    else Vec(sources.map(turned(_)))(order.resize(log2Up(sources.size)))
  })
  io.output.lanes := RegNext(ordered)
  io.output.valid := Delay(outOf.valid, 3, init = False)
}

object Shuffle {

  /** Cycles from a block's start to its first beat at the output. */
  val latency = 4

  /** Returns 2^bits - 1, as wide as a count of beats. */
  def below(bits: UInt): UInt = ((U(1, NttConfig.passBits + 1 bits) |<< bits) - 1).resize(NttConfig.passBits + 1)

  /** Moves element i to index i exclusive or `turn`. */
  def exchanged(elements: Vec[Bits], turn: Bits): Vec[Bits] =
    (0 until turn.getWidth).foldLeft(elements) { (now, j) =>
      Vec(now.indices.map(i => turn(j) ? now(i ^ (1 << j)) | now(i)))
    }
}
