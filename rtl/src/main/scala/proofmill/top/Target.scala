package proofmill.top

import java.nio.file.{Files, Path}

import proofmill.Design
import proofmill.engine.{Engine, EnginePacket}
import proofmill.shell.{EngineSlot, SerialConfig, Shell, ShellConfig}
import spinal.core.Component

/** One card that can be generated: with a serial line, behind a bridge for PCIe, behind the shell of AWS F2, whose rings have
  * `slots` slots, or with all ports of the shell. Behind a bridge or the F2 shell, a memory channel has `stripes` ports, a
  * power of two.
  */
case class Target(
    name: String,
    config: ShellConfig,
    engines: Seq[EngineSlot],
    line: Option[SerialConfig] = None,
    pcie: Boolean = false,
    slots: Option[Int] = None,
    stripes: Int = 1
) {

  /** Name of the Verilog module and its file. */
  val top: String = name.capitalize + "Top"

  /** Writes `<top>.v`, `origins.json` and `manifest.json` into `folder`; the same target always gives the same bytes. */
  def write(folder: Path): Unit = {
    Files.createDirectories(folder)
    val design = Design.config(folder.toString)
    def made[T <: Component](top: => T): T = {
      val component = design.generateVerilog(top).toplevel
      Origins.write(component, folder)
      component
    }
    val shell = (line, slots) match {
      case (Some(serial), _)    => made(new SerialTop(this, serial)).card.shell
      case (None, Some(slots))  => made(new F2Top(this, slots)).card.shell
      case (None, None) if pcie => made(new XdmaTop(this, top)).shell
      case (None, None)         => made(new SimTop(this)).shell
    }
    Files.writeString(folder.resolve("manifest.json"), Json.render(manifest(shell)) + "\n")
  }

  private def manifest(shell: Shell): Json =
    Json.of(
      about(shell) ++ line.map("serial" -> describe(_)) ++ Option.when(pcie)("pcie" -> describe(shell)) ++
        slots.map("slots" -> Json(_)): _*
    )

  private def describe(shell: Shell): Json =
    Json.of(
      "beat_bytes" -> Json(XdmaTop.bytes),
      "door" -> Json(shell.bulk.nonEmpty),
      "stripes" -> Json(stripes)
    )

  private def describe(line: SerialConfig): Json = Json.of(
    "clock" -> Json(line.clock),
    "baud" -> Json(line.baud),
    "idle_bytes" -> Json(line.idleBytes)
  )

  private def about(shell: Shell): Seq[(String, Json)] = Seq(
    "config" -> Json(name),
    "top" -> Json(top),
    "version" -> Json(Seq(16, 8, 0).map(shift => (config.version >> shift) & 0xff).mkString(".")),
    "cmd_cap" -> Json(shell.capabilities),
    "mailbox" -> Json(config.mailbox),
    "multipliers" -> Multipliers.json(shell),
    "memories" -> Json(
      shell.memories.flatMap(channel => Seq.fill(stripes)(Json((BigInt(1) << channel.config.addressWidth) / stripes)))
    ),
    "engines" -> Json(
      for (((slot, engine), i) <- engines.zip(shell.engines).zipWithIndex)
        yield describe(slot, engine, Shell.firstBlock + (i + 1) * Shell.blockStride)
    )
  )

  private def describe(packet: EnginePacket): Json = Json.of(
    "command" -> Json(packet.wire.number),
    "command_len" -> Json(packet.bytes),
    "reply" -> Json(packet.wire.reply),
    "reply_len" -> Json(packet.wire.replyBytes)
  )

  private def describe(slot: EngineSlot, engine: Engine, block: Int): Json = Json.of(
    "op" -> Json(slot.op),
    "instance" -> Json(slot.instance),
    "commands" -> Json(engine.commands.map(describe)),
    "capability" -> Json(engine.capability),
    "block" -> Json(block),
    "parameters" -> Json.of(engine.parameters.toSeq.sortBy(_._1).map { case (key, value) => key -> Json(value) }: _*)
  )
}
