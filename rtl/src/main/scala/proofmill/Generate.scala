package proofmill

import java.nio.file.{Path, Paths}

import proofmill.shell.ShellConfig
import proofmill.top.{Targets, Units}

/** `proofmill.Generate --config NAME --out DIR [--build-date TEXT] [--build-host TEXT]`; `--list` names the cards,
  * `--units` the units that can stand alone.
  */
object Generate {
  private val usage =
    "usage: Generate --list | --units | --config NAME --out DIR [--build-date TEXT] [--build-host TEXT]"

  def main(arguments: Array[String]): Unit =
    if (arguments.sameElements(Array("--list"))) Targets.all(ShellConfig()).foreach(t => println(t.name))
    else if (arguments.sameElements(Array("--units"))) Units.all.foreach(unit => println(unit.name))
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
      write <- writer(name, shell).toRight(
        s"--config $name: not one of ${(Targets.all(shell).map(_.name) ++ Units.all.map(_.name)).mkString(", ")}"
      )
    } yield write(Paths.get(out))
  }

  private def writer(name: String, shell: ShellConfig): Option[Path => Unit] =
    Targets.all(shell).find(_.name == name).map(target => target.write(_: Path))
      .orElse(Units.all.find(_.name == name).map(unit => unit.write(_: Path)))
}
