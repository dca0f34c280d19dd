package proofmill.spec

import org.tomlj.TomlTable

import scala.jdk.CollectionConverters._

/** One register of a block: `offset` in bytes from the block's start, a width in bits (several 32-bit words if larger). */
case class Register(name: String, offset: Int, bits: Int, access: Register.Access, reset: Option[String])

object Register {
  sealed trait Access

  /** Status that the card provides. */
  case object ReadOnly extends Access

  /** A counter of the card; 64 bits, reading the low word latches the high one. */
  case object Counter extends Access

  /** Written by the host; has its reset value after power-up and after every reset. */
  case object ReadWrite extends Access

  def access(text: String): Access = text match {
    case "ro"      => ReadOnly
    case "counter" => Counter
    case "rw"      => ReadWrite
  }
}

/** A self-describing register block as `spec/wire` defines it. */
case class Block(kind: Int, version: Int, registers: Seq[Register])

object Block {
  def apply(wire: TomlTable): Block = {
    val block = wire.getTable("block")
    val registers = block.getArray("registers").toList.asScala.map { case r: TomlTable =>
      Register(
        r.getString("name"),
        Spec.int(r, "offset"),
        Spec.int(r, "bits"),
        Register.access(r.getString("access")),
        Option(r.get("reset")).map(_.toString)
      )
    }
    Block(Spec.int(block, "type"), Spec.int(block, "version"), registers.toSeq)
  }
}

/** The format of a command: its number, and number and length of its reply. */
case class Command(number: BigInt, reply: BigInt, replyBytes: Int)

object Command {

  /** Returns the command of an operation with a single one. */
  def apply(wire: TomlTable): Command = of(wire.getTable("command"))

  /** Returns one of an operation's commands by its name. */
  def apply(wire: TomlTable, name: String): Command = of(table(wire, name))

  /** Returns a command for which the file does not specify the reply's length. */
  def apply(wire: TomlTable, name: String, replyBytes: Int): Command = of(table(wire, name), replyBytes)

  /** Returns the length of one of an operation's command packets, header included. */
  def bytes(wire: TomlTable, name: String): Int = Spec.int(table(wire, name), "len")

  private def table(wire: TomlTable, name: String) = wire.getTable(s"commands.$name")

  private def of(command: TomlTable): Command = of(command, Spec.int(command, "reply_len"))

  private def of(command: TomlTable, replyBytes: Int): Command =
    Command(Spec.big(command, "number"), Spec.big(command, "reply"), replyBytes)
}
