package proofmill.micro

import scala.collection.mutable

/** A program's flags: those it sets are numbered as they appear; those that come with a job's items are the highest ones. */
class Flags(ports: JobPorts) {
  private val found =
    mutable.LinkedHashMap.from(ports.feedFlags.zipWithIndex.map { case (flag, i) => flag -> (ports.firstFeedFlag + i) })

  def numbers: Map[String, Int] = found.toMap

  /** The number of a flag that the program sets. */
  def toSet(flag: String): Int = {
    require(!ports.feedFlags.contains(flag), s"the flag $flag is given")
    val number = found.getOrElseUpdate(flag, found.size - ports.feedFlags.size)
    require(number < ports.firstFeedFlag, "there are too many flags")
    number
  }

  /** The number of a flag that is read; `fed`: the job's items are there. */
  def toRead(flag: String, fed: Boolean): Int = {
    require(fed || !ports.feedFlags.contains(flag), s"the flag $flag is there when an item has been taken")
    found.getOrElse(flag, throw new IllegalArgumentException(s"the flag $flag is never set"))
  }
}
