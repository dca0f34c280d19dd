package proofmill.engine.equihash_verify

import proofmill.hash.Primes
import spinal.core._
import spinal.lib._
import spinal.lib.fsm._

/** SHA-256 (FIPS 180-4): its constants. */
object Sha256 {

  /** The first 32 fractional bits of the square roots of the first eight primes. */
  val iv: Seq[BigInt] = Primes.first(8).map(p => Primes.root(BigInt(p) << 64, 2) & 0xffffffffL)

  /** The first 32 fractional bits of the cube roots of the first 64 primes. */
  val k: Seq[BigInt] = Primes.first(64).map(p => Primes.root(BigInt(p) << 96, 3) & 0xffffffffL)

  def bigSigma0(x: UInt): UInt = x.rotateRight(2) ^ x.rotateRight(13) ^ x.rotateRight(22)
  def bigSigma1(x: UInt): UInt = x.rotateRight(6) ^ x.rotateRight(11) ^ x.rotateRight(25)
  def smallSigma0(x: UInt): UInt = x.rotateRight(7) ^ x.rotateRight(18) ^ (x |>> 3)
  def smallSigma1(x: UInt): UInt = x.rotateRight(17) ^ x.rotateRight(19) ^ (x |>> 10)
}

/** SHA-256 of SHA-256 of a message of fixed length, one round each cycle: 66 cycles for each block.
  *
  * {{{
  *   Fetch ─► Begin ─► Round (64) ─► Add ─┬─► Fetch        next block of the message
  *                                        ├─► Begin        second hash; its message is the digest
  *                                        └─► Result (8) ─► Fetch
  * }}}
  *
  *   1. Fetch: waits until the block's eight words have been written; the message may still be arriving. Skipped if they
  *      have. Before the first block a..h and H are the initial value.
  *   2. Begin, Round: W_t for t = 0 to 63, and one cycle later round t with h + K_t + W_t, which does not depend on the
  *      round before. For t < 16, W_t is read from the message memory, or, in the second hash, from H, which is shifted out
  *      through word 0 while the initial value is shifted in at word 7. The others are computed one cycle ahead.
  *   3. Add: H += a..h.
  *   4. Result: H is shifted out in the same way, digest word 0 first.
  *
  * @param bytes message length. If the message's last byte is not the last one of its 64-bit word, that word must contain the
  *   padding byte 0x80 after it; further bytes are ignored
  */
class Sha256d(bytes: Int) extends Component {
  private val dataWords = (bytes + 7) / 8
  private val blocks = (bytes + 9 + 63) / 64

  val io = new Bundle {

    /** The message, eight bytes a word, first byte lowest. After the last word the core accepts no word of the next message
      * until its result has been read.
      */
    val word = slave(Stream(Bits(64 bits)))

    /** The digest: eight words, first digest byte in bits 7..0 of the first. All eight are valid in consecutive cycles. */
    val result = master(Stream(Fragment(Bits(32 bits))))
  }

  val memory = Mem(Bits(64 bits), 1 << log2Up(dataWords))
  val written = Reg(UInt(log2Up(dataWords + 1) bits)) init 0
  val complete = RegInit(False) // written === dataWords
  io.word.ready := !complete
  memory.write(written.resized, io.word.payload, io.word.fire)
  when(io.word.fire) {
    written := written + 1
    complete := written === dataWords - 1
  }

  val t = Reg(UInt(7 bits)) init 0 // index of the current word; 64: none
  val block = Reg(UInt(log2Up(blocks + 1) bits)) init 0 // `blocks` is the second hash
  val second = RegInit(False) // the second hash: block === blocks
  val early = RegInit(True) // t < 16
  early := t < 15 || t >= 64

  // The address of the word of the next cycle: the memory has a latency of one cycle.
  val nextT = UInt(4 bits)
  val nextBlock = UInt(block.getWidth bits)
  val address = (nextBlock ## nextT(3 downto 1)).asUInt.resize(log2Up(blocks + 1) + 3)
  val fetched = memory.readSync(address.resize(memory.addressWidth))
  val padding = RegNext(address >= dataWords)
  val length = RegNext(address === blocks * 8 - 1)
  val marker = RegNext(address === dataWords) // a word with the padding byte only, if the message ends with a word

  def bigEndian(x: Bits): UInt = Cat(x.subdivideIn(8 bits).reverse).asUInt
  val halves = fetched.subdivideIn(32 bits).map(bigEndian)
  val bits = bytes * 8
  val messageWord = UInt(32 bits)
  when(padding) {
    messageWord := (length && t(0)) ? U(bits, 32 bits) | U(0, 32 bits)
    if (bytes % 8 == 0) when(marker && !t(0))(messageWord := U(BigInt("80000000", 16), 32 bits))
  } otherwise {
    messageWord := t(0) ? halves(1) | halves(0)
  }

  val hash = Vec(Sha256.iv.map(v => Reg(UInt(32 bits)) init v))
  val digestWord = t.mux(
    (0 until 8).map(i => i -> hash(0)) ++ Seq(8 -> U(BigInt("80000000", 16), 32 bits), 15 -> U(256, 32 bits)) :+
      (default -> U(0, 32 bits)): _*
  )

  // Message schedule: w(0) is W_{t-16}; `computed` is W of the next cycle's t.
  val w = Vec(Reg(UInt(32 bits)), 16)
  val computed = RegNext(Sha256.smallSigma1(w(15)) + w(10) + Sha256.smallSigma0(w(2)) + w(1))
  val external = second ? digestWord | messageWord
  val current = early ? external | computed

  val v = Vec(Sha256.iv.map(x => Reg(UInt(32 bits)) init x))
  val Seq(a, b, c, d, e, f, g, h) = v.toSeq
  val constants = Vec(Sha256.k.map(U(_, 32 bits)))
  val choose = (e & f) ^ (~e & g)
  val majority = (a & b) ^ (a & c) ^ (b & c)
  val prepared = Reg(UInt(32 bits)) // h + K + W of the round
  val t1 = prepared + Sha256.bigSigma1(e) + choose
  val t2 = Sha256.bigSigma0(a) + majority

  /** Accepts word t, for the next round, whose h is `nextH`. */
  def takeWord(nextH: UInt): Unit = {
    nextT := t(3 downto 0) + 1
    for (i <- 0 until 15) w(i) := w(i + 1)
    w(15) := current
    prepared := nextH + constants(t(5 downto 0)) + current
    when(second && t < 8)(moveHash())
    t := t + 1
  }

  def moveHash(): Unit = {
    for (i <- 0 until 7) hash(i) := hash(i + 1)
    hash(7) := Vec(Sha256.iv.map(U(_, 32 bits)))(t(2 downto 0))
  }

  nextT := 0
  nextBlock := block
  val available = written >= (((block + 1) << 3).min(U(dataWords)))
  val following = written >= (((block + 2) << 3).min(U(dataWords)))

  val fsm = new StateMachine {
    val Fetch, Begin, Round, Add, Result = new State
    setEntry(Fetch)

    Fetch.whenIsActive(when(available)(goto(Begin)))
    Begin.whenIsActive {
      takeWord(h)
      goto(Round)
    }
    Round.whenIsActive {
      takeWord(g)
      v := Vec(t1 + t2, a, b, c, d + t1, e, f, g)
      when(t === 64) {
        t := 0
        goto(Add)
      }
    }
    Add.whenIsActive {
      val sum = Vec(hash.zip(v).map { case (x, y) => x + y })
      hash := sum
      v := sum
      nextBlock := block + 1
      block := block + 1
      second := block === blocks - 1
      when(block === blocks - 1 || second)(v := Vec(Sha256.iv.map(U(_, 32 bits))))
      when(second) {
        block := 0
        goto(Result)
      } elsewhen (block === blocks - 1 || following)(goto(Begin)) otherwise goto(Fetch)
    }
    Result.whenIsActive {
      when(io.result.ready) {
        moveHash()
        t := t + 1
        when(t === 7) {
          t := 0
          written := 0
          complete := False
          goto(Fetch)
        }
      }
    }
  }
  io.result.valid := fsm.isActive(fsm.Result)
  io.result.fragment := Cat(hash(0).asBits.subdivideIn(8 bits).reverse)
  io.result.last := t === 7
}
