package proofmill.engine.msm

import spinal.core._

/** A valid run. */
case class MsmRun(memoryBits: Int) extends Bundle {
  val index = Bits(64 bits)
  val points, scalars = UInt(memoryBits bits) // addresses
  val count = UInt(memoryBits - 4 bits) // of points
  val windowBits = UInt(5 bits)
}

/** `status` of a reply. */
object MsmStatus extends SpinalEnum {
  val done, refused, memoryFault, cancelled, full = newElement()
}

/** The commands, in the order of `Engine.commands`. */
object MsmCommand extends SpinalEnum(binarySequential) {
  val write, run, cancel = newElement()
}

/** A reply that has only a status. */
case class StatusReply() extends Bundle {
  val kind = MsmCommand()
  val index = Bits(64 bits)
  val status = MsmStatus()
}

/** The result of a run, without the sum. */
case class MsmOutcome() extends Bundle {
  val index = Bits(64 bits)
  val status = MsmStatus()
  val accumulation, tail, additions = UInt(64 bits)
  val noPoints = Bool() // the sum is the identity
}
