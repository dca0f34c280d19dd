package proofmill.shell

import java.nio.file.Paths

import proofmill.top.Target

/** `proofmill.shell.GenerateShellTest DIR`: the cards of the shell's tests, each in its own folder of DIR. */
object GenerateShellTest {
  private def engine(instance: String, second: Boolean = false) =
    EngineSlot("equihash_verify", instance, () => new XorEngine(instance, second))

  private def memory(channels: Int) = EngineSlot("memory", "memory", () => new MemoryEngine(channels, addressBits = 20))

  private val targets = Seq(
    Target("bare", ShellConfig(), Seq.empty),
    Target("pair", ShellConfig(), Seq(engine("equihash_48_5"), engine("equihash_144_5"))),
    Target(
      "tight",
      ShellConfig(commandWords = 32, replyWords = 4),
      Seq(engine("equihash_48_5"), engine("equihash_144_5"))
    ),
    Target("kinds", ShellConfig(), Seq(engine("equihash_48_5", second = true), engine("equihash_144_5"))),
    Target("memory", ShellConfig(replyWords = 4), Seq(memory(channels = 2), engine("equihash_48_5"))),
    Target("door", ShellConfig(mailbox = true), Seq(engine("equihash_48_5")))
  )

  def main(arguments: Array[String]): Unit = targets.foreach(t => t.write(Paths.get(arguments.head).resolve(t.name)))
}
