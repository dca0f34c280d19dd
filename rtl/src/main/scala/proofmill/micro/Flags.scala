package proofmill.micro

import scala.collection.mutable

/** The flags of a program: those that it sets are numbered in the order of their appearance; those that items set have the
  * highest numbers.
  */
class Flags(ports: JobPorts) {
  private val found =
    mutable.LinkedHashMap.from(ports.feedFlags.zipWithIndex.map { case (flag, i) => flag -> (ports.firstFeedFlag + i) })

  def numbers: Map[String, Int] = found.toMap

  /** Returns the number of a flag that the program sets. */
  def toSet(flag: String): Int = {
    require(!ports.feedFlags.contains(flag), s"the flag $flag is given")
    val number = found.getOrElseUpdate(flag, found.size - ports.feedFlags.size)
    require(number < ports.firstFeedFlag, "there are too many flags")
    number
  }

  /** Returns the number of a flag that is read; `fed`: the job's items are required. */
  def toRead(flag: String, fed: Boolean): Int = {
    require(fed || !ports.feedFlags.contains(flag), s"the flag $flag is there when an item has been taken")
    found.getOrElse(flag, throw new IllegalArgumentException(s"the flag $flag is never set"))
  }
}
