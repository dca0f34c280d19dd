package proofmill

import java.nio.file.Paths

import proofmill.shell.ShellConfig
import proofmill.top.Targets

/** `proofmill.Generate --config NAME --out DIR [--build-date TEXT] [--build-host TEXT]`, or `--list` for the names. */
object Generate {
  private val usage = "usage: Generate --list | --config NAME --out DIR [--build-date TEXT] [--build-host TEXT]"

  def main(arguments: Array[String]): Unit =
    if (arguments.sameElements(Array("--list"))) Targets.all(ShellConfig()).foreach(t => println(t.name))
    else
      options(arguments.toList, Map.empty).flatMap(generate) match {
        case Right(())     =>
        case Left(problem) => System.err.println(s"$problem\n$usage"); sys.exit(2)
      }

  private val known = Set("--config", "--out", "--build-date", "--build-host")

  private def options(rest: List[String], found: Map[String, String]): Either[String, Map[String, String]] =
    rest match {
      case Nil                                         => Right(found)
      case key :: value :: tail if known.contains(key) => options(tail, found + (key -> value))
      case key :: _                                    => Left(s"$key: unknown, or without a value")
    }

  private def generate(options: Map[String, String]): Either[String, Unit] = {
    val standard = ShellConfig()
    val shell = standard.copy(
      buildDate = options.getOrElse("--build-date", standard.buildDate),
      buildHost = options.getOrElse("--build-host", standard.buildHost)
    )
    for {
      name <- options.get("--config").toRight("--config is missing")
      out <- options.get("--out").toRight("--out is missing")
      target <- Targets.all(shell).find(_.name == name).toRight(
        s"--config $name: not one of ${Targets.all(shell).map(_.name).mkString(", ")}"
      )
    } yield target.write(Paths.get(out))
  }
}
