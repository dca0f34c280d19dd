package proofmill.shell

import proofmill.engine.{Engine, EnginePacket}
import proofmill.spec.{Block, Command, Equihash, Register, Spec}
import proofmill.stream.Word
import spinal.core._
import spinal.lib._

/** A substitute for an engine: same command, reply and registers as `equihash_verify`, but the mask is the exclusive or of all
  * bytes of the header field, and the reply follows after a pseudo-random number of cycles.
  *
  * @param second it accepts a second command, too: number and reply are one higher, the packet is 24 bytes longer, and the mask is inverted
  */
class XorEngine(instance: String, second: Boolean) extends Engine {
  private val file = Spec.table("wire/equihash_verify")
  private val set = Equihash(instance)
  private val bytes = 16 + set.totalBytes

  private val wire = Command(file)
  private val other = wire.copy(number = wire.number + 1, reply = wire.reply + 1)
  val commands: Seq[EnginePacket] =
    EnginePacket(wire, bytes) +: (if (second) Seq(EnginePacket(other, bytes + 24)) else Nil)
  def capability: Int = Spec.int(Spec.table("wire/shell").getTable("capabilities"), instance)
  def block: Block = Block(file)
  def parameters: Map[String, BigInt] = block.registers
    .filter(_.access == Register.ReadOnly)
    .filterNot(_.name == "last_latency")
    .map(r => r.name -> (if (r.name == "command_len") BigInt(bytes) else BigInt(r.offset * 0x01010101L)))
    .toMap
  def resets: Map[String, BigInt] =
    Map("personalisation" -> BigInt("1122334455667788", 16), "difficulty" -> 1, "pow_limit" -> 7)

  val command = slave(Word.payloads(commands.size))
  val reply = master(Word.packets)
  val done, busyCycles = out(Reg(UInt(64 bits)) init 0)
  val latency = out(Reg(UInt(32 bits)) init 0)
  val personalisation = in(Bits(64 bits))
  val difficulty = in(Bits(1 bits))
  val powLimit = in(Bits(256 bits))

  def status: Map[String, Bits] =
    Map("done" -> done.asBits, "busy_cycles" -> busyCycles.asBits, "last_latency" -> latency.asBits)
  def control: Map[String, Bits] =
    Map("personalisation" -> personalisation, "difficulty" -> difficulty, "pow_limit" -> powLimit)

  val words = (bytes - 8 + 7) / 8
  val first = RegInit(True)
  val index = Reg(Bits(64 bits))
  val folded = Reg(Bits(8 bits))
  val answering = RegInit(False)
  val pause = Reg(UInt(8 bits)) init 0
  val noise = Reg(UInt(8 bits)) init 1
  val beat = Reg(UInt(2 bits)) init 0
  noise := (noise |<< 1) | (noise(7) ^ noise(5) ^ noise(4) ^ noise(3)).asUInt.resized
  busyCycles := busyCycles + (answering || !first).asUInt

  val there = Mux(command.last, B(Word.keepOf(bytes), 8 bits), B(255, 8 bits))
  val lanes = command.fragment.take(64).subdivideIn(8 bits).zip(there.asBools).map { case (byte, keep) =>
    byte.andMask(keep)
  }
  command.ready := !answering
  val kind = Reg(Bits(1 bits)) init 0
  when(command.fire) {
    first := command.last
    kind := command.fragment.drop(64).resized
    when(first) {
      index := command.fragment.take(64)
      folded := 0
    } otherwise {
      folded := folded ^ lanes.reduce(_ ^ _)
    }
    when(command.last) {
      answering := True
      pause := noise
    }
  }
  when(answering && pause =/= 0)(pause := pause - 1)
  private def header(command: Command) = B((command.reply << 32) | command.replyBytes, 64 bits)
  reply.valid := answering && pause === 0
  reply.last := beat === 2
  reply.fragment.keep := Mux(reply.last, B(1, 8 bits), B(255, 8 bits))
  reply.fragment.data := beat.mux(
    0 -> (kind.asBool ? header(other) | header(wire)),
    1 -> index,
    default -> (folded ^ B(8 bits, default -> kind.asBool)).resize(64 bits)
  )
  when(reply.fire) {
    beat := reply.last ? U(0) | beat + 1
    when(reply.last) {
      answering := False
      done := done + 1
    }
  }
}
