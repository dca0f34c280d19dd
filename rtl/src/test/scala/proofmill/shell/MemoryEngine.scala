package proofmill.shell

import proofmill.engine.{Engine, EnginePacket}
import proofmill.spec.{Block, Command, Register}
import proofmill.stream.Word
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi.Axi4

/** An engine that only accesses memory channels, one command at a time. After header and index a command has
  *   - the byte address and, in bits 63..56, the channel;
  *   - WRITE: 1024 bytes, written as one burst of 16 beats, each offered as soon as it is complete. Reply: index, AXI response (u64).
  *   - FETCH: beats of a burst less 1 (bits 7..0) and bursts (bits 63..32), read consecutively, with addresses as fast as they are
  *     accepted. Reply: index, the or of the AXI responses, a digest of the data, and cycles from the first address to the last beat
  *     (u64 each).
  * Addresses are passed to the channel unchanged, even if AXI4 forbids them. The digest of beats b(0), b(1), … of 512 bits: start at 0;
  * for each beat rotate left by one bit and compute the exclusive or with its eight words.
  */
class MemoryEngine(channels: Int, addressBits: Int) extends Engine {
  private val writeCommand = Command(0x300, BigInt("80000300", 16), 24)
  private val fetchCommand = Command(0x301, BigInt("80000301", 16), 40)
  private val beats = 16

  def commands: Seq[EnginePacket] = Seq(EnginePacket(writeCommand, 24 + 64 * beats), EnginePacket(fetchCommand, 32))
  def capability = 63
  def block = Block(0x300, 1, Seq(Register("none", 0x10, 32, Register.ReadOnly, None)))
  def parameters = Map("none" -> BigInt(0))
  def resets = Map.empty
  def status = Map.empty
  def control = Map.empty

  val command = slave(Word.payloads(commands.size))
  val reply = master(Word.packets)
  override val memories: Seq[Axi4] = Seq.fill(channels)(master(Axi4(Engine.memory(addressBits))))

  object State extends SpinalEnum { val INDEX, ADDRESS, DATA, RESPONSE, SHAPE, FETCH, ANSWER = newElement() }
  import State._
  val state = RegInit(INDEX)

  private val word = command.fragment.take(64)
  val fetch = Reg(Bool())
  val index, digest, cycles = Reg(Bits(64 bits))
  val response = Reg(Bits(2 bits))
  val address = Reg(UInt(addressBits bits))
  val channel = Reg(UInt(8 bits))
  val length = Reg(UInt(8 bits))
  val addressesLeft, lastsLeft = Reg(UInt(32 bits))
  val beat = Reg(Bits(512 bits))
  val wordsIn, beatsOut = Reg(UInt(5 bits))
  val addressed = RegInit(True) // the write's address is taken
  val full = RegInit(False) // `beat` is to be written

  command.ready := state.mux(
    INDEX -> True,
    ADDRESS -> True,
    SHAPE -> True,
    DATA -> !full,
    default -> False
  )
  when(command.fire)(switch(state) {
    is(INDEX) {
      fetch := command.fragment.msb
      index := word
      response := 0
      digest := 0
      cycles := 0
      state := ADDRESS
    }
    is(ADDRESS) {
      address := word.asUInt.resized
      channel := word(56, 8 bits).asUInt
      length := beats - 1
      wordsIn := 0
      beatsOut := 0
      addressed := fetch
      state := fetch ? SHAPE | DATA
    }
    is(SHAPE) {
      length := word(0, 8 bits).asUInt
      addressesLeft := word(32, 32 bits).asUInt
      lastsLeft := word(32, 32 bits).asUInt
      state := FETCH
    }
    is(DATA) {
      beat := word ## beat.dropLow(64)
      wordsIn := (wordsIn + 1) & 7
      full := wordsIn === 7
      when(command.last)(state := RESPONSE)
    }
  })

  private def any(bits: Axi4 => Bool): Bool = memories.map(bits).orR
  for ((memory, i) <- memories.zipWithIndex) {
    val mine = channel === i
    for (port <- Seq(memory.aw, memory.ar)) {
      port.addr := address
      port.len := length
      port.setBurstINCR()
      port.size := 6
    }
    memory.aw.valid := !addressed && mine
    memory.w.valid := full && mine
    memory.w.data := beat
    memory.w.strb.setAll()
    memory.w.last := beatsOut === beats - 1
    memory.b.ready := state === RESPONSE
    memory.ar.valid := state === FETCH && addressesLeft =/= 0 && mine
    memory.r.ready := state === FETCH
    when(memory.b.fire)(response := memory.b.resp)
    when(memory.r.fire) {
      response := response | memory.r.resp
      digest := digest.rotateLeft(1) ^ memory.r.data.subdivideIn(64 bits).reduce(_ ^ _)
    }
  }
  when(any(_.aw.fire))(addressed := True)
  when(any(_.w.fire)) {
    full := False
    beatsOut := beatsOut + 1
  }
  when(any(_.b.fire))(state := ANSWER)
  when(any(_.ar.fire)) {
    address := address + ((length +^ 1) << 6).resized
    addressesLeft := addressesLeft - 1
  }
  when(any(m => m.r.fire && m.r.last)) {
    lastsLeft := lastsLeft - 1
    when(lastsLeft === 1)(state := ANSWER)
  }
  when(state === FETCH)(cycles := (cycles.asUInt + 1).asBits)

  val place = Reg(UInt(3 bits)) init 0
  private def header(packet: EnginePacket) = B((packet.wire.reply << 32) | packet.wire.replyBytes, 64 bits)
  reply.valid := state === ANSWER
  reply.last := place === (fetch ? U(4) | U(2))
  reply.fragment.keep := 0xff
  reply.fragment.data := place.mux(
    0 -> (fetch ? header(commands(1)) | header(commands(0))),
    1 -> index,
    2 -> response.resize(64),
    3 -> digest,
    default -> cycles
  )
  when(reply.fire) {
    place := reply.last ? U(0) | place + 1
    when(reply.last)(state := INDEX)
  }
}
