package proofmill

import java.nio.file.{Path, Paths}

import proofmill.shell.ShellConfig
import proofmill.top.{Targets, Units}

/** `proofmill.Generate --config NAME --out DIR [--build-date TEXT] [--build-host TEXT]`; with `--configs NAME,NAME,…`
  * each has a folder of its own in DIR. `--list` names the cards, `--units` the units that can stand alone.
  */
object Generate {
  private val usage =
    "usage: Generate --list | --units | --config NAME | --configs NAME,… --out DIR [--build-date TEXT] [--build-host TEXT]"

  def main(arguments: Array[String]): Unit =
    if (arguments.sameElements(Array("--list"))) Targets.all(ShellConfig()).foreach(t => println(t.name))
    else if (arguments.sameElements(Array("--units"))) Units.all.foreach(unit => println(unit.name))
    else
      options(arguments.toList, Map.empty).flatMap(generate) match {
        case Right(())     =>
        case Left(problem) => System.err.println(s"$problem\n$usage"); sys.exit(2)
      }

  private val known = Set("--config", "--configs", "--out", "--build-date", "--build-host")

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
      out <- options.get("--out").map(Paths.get(_)).toRight("--out is missing")
      folders <- options.get("--config").map(name => Seq(name -> out))
        .orElse(options.get("--configs").map(_.split(',').toSeq.map(name => name -> out.resolve(name))))
        .toRight("--config is missing")
      writer = writers(shell)
      writes <- folders.foldRight[Either[String, List[() => Unit]]](Right(Nil)) { case ((name, folder), others) =>
        val found = writer.get(name).toRight(s"$name: not one of ${writer.keys.toSeq.sorted.mkString(", ")}")
        for (write <- found; rest <- others) yield (() => write(folder)) :: rest
      }
    } yield writes.foreach(_())
  }

  /** What writes a configuration into a folder, by the configuration's name. */
  private def writers(shell: ShellConfig): Map[String, Path => Unit] =
    (Units.all.map(unit => unit.name -> (unit.write(_: Path))) ++
      Targets.all(shell).map(target => target.name -> (target.write(_: Path)))).toMap
}
