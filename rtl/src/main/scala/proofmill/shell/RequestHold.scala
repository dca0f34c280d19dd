package proofmill.shell

import spinal.core._
import spinal.lib._

/** A request in registers between the framer, which asks, and the control unit, which answers: neither waits in its cycle for the other.
  *
  * The framer's request is taken a cycle after the control unit's, so its packet is at the end of the stream until its reply has left, as a
  * RESET needs. Each request takes two cycles more. What is asked stays asked and the same until it is taken.
  */
case class RequestHold() extends Component {
  val asked = slave(Stream(Request()))
  val held = master(Stream(Request()))

  val waiting, answered = RegInit(False)
  when(asked.valid && !answered)(waiting := True)
  when(held.fire)(waiting := False)
  answered := held.fire

  held.valid := waiting
  held.payload := RegNextWhen(asked.payload, !waiting)
  asked.ready := answered
}
