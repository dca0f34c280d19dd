package proofmill.hash

import proofmill.arith.{Copies, Timing}
import proofmill.spec.Equihash
import spinal.core._
import spinal.lib._
import spinal.lib.fsm._

/** The state of a header before its leaves are hashed, computed from the first 140 header bytes. */
case class Prepared(digestWords: Int) extends Bundle {

  /** Chaining value after the first block, as many words as the digest needs. */
  val h = Vec(Bits(64 bits), digestWords)
  val start = LeafStart()
}

/** Compresses the first 128 header bytes once, and begins the second block as far as all leaves share it.
  *
  * {{{
  *   Idle ─► Load ─► Mix (12 rounds, 48 cycles) ─► Chain ─► Load ─► Begin0 ─► Begin1 ─► Done ─(accepted)─► Idle
  * }}}
  *
  *   1. Idle: h is the parameter block; waits until the header's 18 words have arrived.
  *   2. Load: v = h ‖ IV with the counter, 128 for the first block, 144 and the last-block flag for the second.
  *   3. Mix: half a G in each of the four columns each cycle. After a column step the rows rotate so that the diagonals are
  *      in the columns; after a diagonal step they rotate back.
  *   4. Chain: h ^= v ^ v'.
  *   5. Begin0, Begin1: the first column step of the second block; of column 0 only the first half, which is stored in a
  *      separate register.
  *   6. Done: holds the result until it is accepted.
  *
  * The memory has space for the words of two headers, so the next header arrives while one is mixed.
  */
class Midstate(p: Equihash, timing: Timing = Timing()) extends Component {
  private val digestWords = (p.digestBytes + 7) / 8
  val io = new Bundle {

    /** Header words 0 to 17, in order. */
    val word = slave(Stream(Bits(64 bits)))
    val personalisation = in(Bits(64 bits)) // the first eight bytes of BLAKE2b's personalisation, sampled in Idle
    val result = master(Stream(Prepared(digestWords))) // a header's chaining value and the state its leaves share
  }

  // Words of two headers: 0 to 15 in memory, 16 and 17 (low half) in registers.
  val words = Mem(Bits(64 bits), 32)
  val tail = Vec(Vec(Reg(Bits(64 bits)), 2), 2)
  val fill = RegInit(False) // the half that is being filled
  val at = Reg(UInt(5 bits)) init 0
  val full = Vec(RegInit(False), 2)
  io.word.ready := !full(fill.asUInt)
  words.write((fill ## at(3 downto 0)).asUInt, io.word.payload, io.word.fire && !at(4))
  when(io.word.fire) {
    when(at(4))(tail(fill.asUInt)(at(0).asUInt) := io.word.payload)
    at := at + 1
    when(at === 17) {
      at := 0
      full(fill.asUInt) := True
      fill := !fill
    }
  }

  // Parameter block: digest length, no key, fanout and depth 1; personalisation ‖ n ‖ k.
  val parameters = Vec(Blake2b.iv.zipWithIndex.map {
    case (iv, 0) => B(iv ^ BigInt(0x01010000 | p.digestBytes), 64 bits)
    case (iv, 6) => B(iv, 64 bits) ^ io.personalisation
    case (iv, 7) => B(iv ^ (BigInt(p.k) << 32 | p.n), 64 bits)
    case (iv, _) => B(iv, 64 bits)
  })
  val drain = RegInit(False) // the half that is being mixed
  val v = Vec(Reg(Bits(64 bits)), 16)
  val h = Vec(Reg(Bits(64 bits)), 8)
  val column0 = Vec(Reg(Bits(64 bits)), 4)
  val m0 = Reg(Bits(64 bits))
  val m1 = Reg(Bits(32 bits))
  val secondBlock = Reg(Bool())

  // The four message words of each half step: sigma row, then column or diagonal, then x or y. Their numbers are read three cycles ahead and the
  // words two cycles ahead. One cycle ahead they are added to the first words of the columns, which never rotate: `sums` is a + m of the next half
  // step.
  val steps = Blake2b.sigma.flatMap(row => Seq(row.take(8), row.drop(8))).flatMap { eight =>
    Seq(0, 1).map(half => (0 until 4).map(i => eight(2 * i + half)))
  }
  val nextStep = UInt(6 bits)
  val step = RegNext(nextStep) init 0
  nextStep := step
  val ahead = Reg(UInt(6 bits)) init 0
  val schedule = new MessageOrder(steps)
  schedule.step := ahead
  val order = Vec(Reg(UInt(4 bits)), 4)
  order := Vec(steps.head.map(U(_, 4 bits)))
  ahead := 1
  def lookUp(): Unit = {
    order := schedule.numbers
    ahead := ahead + 1
  }
  val message = Vec(order.map(index => RegNext(words.readAsync((drain ## index).asUInt).asUInt)))
  val nextMessage = Vec(UInt(64 bits), 4)
  val sums = Vec(Reg(UInt(64 bits)), 4)

  // Second half of a step, for the operands and for the results of each column; whether columns rotate to diagonals (true) or back.
  val secondHalves, secondLasts = Copies(nextStep(0), 4, timing)
  val keeps = Copies(nextStep(0), 4, timing)
  val turns = Copies(!nextStep(1), 4, timing)

  // The mixing: both halves of G share their adders. In a first half (a, b, c, d) are all complete; between the halves b and d are deferred.
  val mixed = (0 until 4).map { i =>
    val Seq(a, b, c, d) = Blake2b.columns(i).map(v(_))
    val b1 = secondHalves(i) ? (b ^ c).rotateRight(24) | b
    val d1 = secondLasts(i) ? (d ^ a).rotateRight(32) | d
    val a2 = sums(i) + b1.asUInt
    sums(i) := sums(i) + b1.asUInt + nextMessage(i)
    val d2 = secondLasts(i) ? (d1 ^ a2.asBits).rotateRight(16) | (d1 ^ a2.asBits).rotateRight(32)
    val c2 = c.asUInt + d2.asUInt
    val b2 = (b1 ^ c2.asBits).rotateRight(63)
    (Seq(a2.asBits, b, c2.asBits, d), Seq(a2.asBits, b2, c2.asBits, d2))
  }
  val halfMixed = mixed.map(_._1)
  val fullMixed = mixed.map(_._2)

  /** Rotates the Gs' results so that the next step's operands are in columns: row j rotates left by j or right by j. */
  def turned(i: Int, j: Int): Bits = {
    val left = fullMixed((i + j) % 4)(j)
    val right = fullMixed((i + 4 - j) % 4)(j)
    if (j % 2 == 0) left else turns(i) ? left | right
  }
  nextMessage := message

  val fsm = new StateMachine {
    val Idle, Load, Mix, Chain, Begin0, Begin1, Done = new State
    setEntry(Idle)

    Idle.whenIsActive {
      h := parameters
      secondBlock := False
      m0 := tail(drain.asUInt)(0)
      m1 := tail(drain.asUInt)(1)(31 downto 0)
      when(full(drain.asUInt)) {
        lookUp()
        goto(Load)
      }
    }
    Load.whenIsActive {
      nextStep := 0
      lookUp()
      val first = secondBlock ? Vec(m0.asUInt +: Seq.fill(3)(U(0, 64 bits))) | message
      for (i <- 0 until 4) sums(i) := h(i).asUInt + first(i)
      val counter = secondBlock ? B(144, 64 bits) | B(128, 64 bits)
      val flag = B(64 bits, default -> secondBlock)
      for ((iv, i) <- Blake2b.iv.map(B(_, 64 bits)).zipWithIndex) {
        v(i) := h(i)
        v(i + 8) := (i match { case 4 => iv ^ counter; case 6 => iv ^ flag; case _ => iv })
      }
      when(secondBlock)(goto(Begin0)) otherwise goto(Mix)
    }
    Mix.whenIsActive {
      for (i <- 0 until 4; j <- 0 until 4)
        v(Blake2b.columns(i)(j)) := (keeps(i) ? turned(i, j) | halfMixed(i)(j))
      nextStep := step + 1
      lookUp()
      when(step === steps.size - 1) {
        full(drain.asUInt) := False
        drain := !drain
        goto(Chain)
      }
    }
    Chain.whenIsActive {
      for (i <- 0 until 8) h(i) := h(i) ^ v(i) ^ v(i + 8)
      secondBlock := True
      goto(Load)
    }
    Begin0.whenIsActive {
      nextMessage := Vec(Seq.fill(4)(U(0, 64 bits)))
      for (i <- 0 until 4; j <- 0 until 4) v(Blake2b.columns(i)(j)) := halfMixed(i)(j)
      column0 := Vec(halfMixed(0))
      nextStep := 1
      goto(Begin1)
    }
    Begin1.whenIsActive {
      for (i <- 0 until 4; j <- 0 until 4) v(Blake2b.columns(i)(j)) := turned(i, j)
      goto(Done)
    }
    Done.whenIsActive(when(io.result.ready)(goto(Idle)))
  }

  io.result.valid := fsm.isActive(fsm.Done)
  for (i <- 0 until digestWords) io.result.h(i) := h(i)
  io.result.start.column0 := column0
  // Begin1 rotated the rows: G i's word j is in column (i - j) mod 4.
  for (i <- 1 until 4; j <- 0 until 4) io.result.start.columns(i - 1)(j) := v(Blake2b.columns((i + 4 - j) % 4)(j))
  io.result.start.m0 := m0
  io.result.start.m1 := m1
}

/** Numbers of the four message words of a half step. It is a module of its own; otherwise synthesis moves the counter behind
  * the table.
  */
class MessageOrder(steps: Seq[Seq[Int]]) extends Component {
  val step = in(UInt(6 bits)) // number of the half step, from 0
  val numbers = out(Vec(UInt(4 bits), 4)) // of its message words, one for each column; same cycle
  numbers := Vec((0 until 4).map(i => Vec(steps.map(four => U(four(i), 4 bits))).read(step.resize(log2Up(steps.size)))))
}
