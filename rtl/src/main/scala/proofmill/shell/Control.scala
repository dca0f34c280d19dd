package proofmill.shell

import proofmill.spec.Spec
import spinal.core._

/** Packets that the shell handles itself, from `spec/wire/shell.toml`. */
object Control {
  private val wire = Spec.table("wire/shell")

  /** Header word of a packet: `len` in the low half, command number in the high one. */
  def header(number: BigInt, bytes: Int): BigInt = (number << 32) | bytes

  private def command(name: String) = wire.getTable(s"commands.$name")

  private def requestHeader(name: String) = header(Spec.big(command(name), "number"), Spec.int(command(name), "len"))

  private def replyHeader(name: String) = header(Spec.big(command(name), "reply"), Spec.int(command(name), "reply_len"))

  val reset: BigInt = requestHeader("reset")
  val resetReply: BigInt = replyHeader("reset")
  val status: BigInt = requestHeader("status")
  val statusReply: BigInt = replyHeader("status")
  val statusReplyBytes: Int = Spec.int(command("status"), "reply_len")

  val ignoreReply: BigInt = {
    val ignore = wire.getTable("replies.ignore")
    header(Spec.big(ignore, "number"), Spec.int(ignore, "len"))
  }
}

/** Kinds of requests to the control unit. */
object RequestKind extends SpinalEnum {
  val RESET, STATUS, IGNORE = newElement()
}

/** A packet that is not a command of an engine; missing bytes of its header are zero. */
case class Request() extends Bundle {
  val kind = RequestKind()
  val header = Bits(64 bits)
}

/** A command of an engine, identified by number and length together. */
case class EngineCommand(number: BigInt, bytes: Int) {
  require(bytes > 8, s"command 0x${number.toString(16)}: $bytes bytes leave nothing after the header")
  val header: BigInt = Control.header(number, bytes)
  val words: Int = (bytes + 7) / 8
}
