package proofmill.spec

import java.nio.file.{Files, Path, Paths}

import org.tomlj.{Toml, TomlTable}

import scala.jdk.CollectionConverters._

/** The data of `spec/`, read once at generation. This package generates no hardware. */
object Spec {

  /** The folder `spec/`: system property `proofmill.spec`, or the first one found upwards from the working folder. */
  lazy val root: Path = {
    val named = Option(System.getProperty("proofmill.spec")).map(Paths.get(_))
    val upwards =
      Iterator.iterate(Paths.get("").toAbsolutePath)(_.getParent).takeWhile(_ != null).map(_.resolve("spec"))
    named
      .orElse(upwards.find(folder => Files.isDirectory(folder.resolve("wire"))))
      .getOrElse(sys.error("spec/ not found: run from inside the checkout or set -Dproofmill.spec=DIR"))
  }

  /** Returns one file of `spec/`, by its path without the extension, such as `wire/shell`. */
  def table(name: String): TomlTable = {
    val file = root.resolve(name + ".toml")
    val parsed = Toml.parse(file)
    if (parsed.hasErrors) sys.error(s"$file: ${parsed.errors.asScala.mkString("; ")}")
    parsed
  }

  /** Returns the names of all files in a folder of `spec/`, without their extension. */
  def names(folder: String, ending: String = ".toml"): Seq[String] =
    root.resolve(folder).toFile.list.toSeq.filter(_.endsWith(ending)).map(_.stripSuffix(ending)).sorted

  /** Returns an integer in `table`. */
  def int(table: TomlTable, key: String): Int = BigInt(table.getLong(key)).toInt

  /** Returns an integer of any size in `table`: a TOML integer or a string `0x…`. */
  def big(table: TomlTable, key: String): BigInt = table.get(key) match {
    case text: String => if (text.startsWith("-0x")) -BigInt(text.drop(3), 16) else BigInt(text.stripPrefix("0x"), 16)
    case number       => BigInt(number.toString)
  }
}
