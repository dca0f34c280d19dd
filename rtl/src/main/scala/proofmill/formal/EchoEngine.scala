package proofmill.formal

import proofmill.engine.{Engine, EnginePacket}
import proofmill.spec.{Block, Command, Register}
import proofmill.stream.Word
import spinal.core._
import spinal.core.formal._
import spinal.lib._

/** The smallest engine: a command of two words after the header; the reply has the header and the first word, after any
  * number of cycles.
  */
class EchoEngine extends Engine {
  private val wire = Command(0x100, BigInt("80000100", 16), 16)
  def commands = Seq(EnginePacket(wire, 24))
  def capability = 0
  def block = Block(0x100, 1, Seq(Register("none", 0x10, 32, Register.ReadOnly, None)))
  def parameters = Map("none" -> BigInt(0))
  def resets = Map.empty
  def status = Map.empty
  def control = Map.empty

  val command = slave(Word.payload)
  val reply = master(Word.packets)

  /** The reply may begin: a free input in every cycle. */
  val begin = Bool()
  anyseq(begin)

  val index = Reg(Bits(64 bits)) init 0
  val second, answering, offered = RegInit(False)
  command.ready := !answering
  when(command.fire) {
    second := !command.last
    answering := command.last
    when(!second)(index := command.fragment)
  }
  reply.valid := answering && (begin || offered || second)
  offered := reply.valid && !reply.ready
  reply.fragment.keep := 0xff
  reply.fragment.data := second ? index | B((wire.reply << 32) | wire.replyBytes, 64 bits)
  reply.last := second
  when(reply.fire) {
    second := !reply.last
    answering := !reply.last
  }
}
