package proofmill.engine.msm

import spinal.core._

/** A run that has been found sound. */
case class Run(memoryBits: Int) extends Bundle {
  val index = Bits(64 bits)
  val points, scalars = UInt(memoryBits bits) // addresses
  val count = UInt(memoryBits - 4 bits) // of points
  val windowBits = UInt(5 bits)
}

/** `status` of a reply. */
object Status extends SpinalEnum {
  val done, refused, memoryFault, cancelled, full = newElement()
}

/** The commands, in the order of `Engine.commands`. */
object Kind extends SpinalEnum(binarySequential) {
  val write, run, cancel = newElement()
}

/** A command that is answered by a status alone. */
case class Notice() extends Bundle {
  val kind = Kind()
  val index = Bits(64 bits)
  val status = Status()
}

/** What is said of a run at its end, beside the sum. */
case class Outcome() extends Bundle {
  val index = Bits(64 bits)
  val status = Status()
  val accumulation, tail, additions = UInt(64 bits)
  val none = Bool() // of points: the sum is the identity
}
