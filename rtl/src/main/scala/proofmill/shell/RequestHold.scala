package proofmill.shell

import spinal.core._
import spinal.lib._

/** Registers requests between the framer and the control unit, and cuts the paths of valid and ready between them.
  *
  * The framer's request is accepted one cycle after the control unit's, so its packet stays at the end of the stream until its reply was sent, as a
  * RESET needs. A request takes two additional cycles. A request that is valid stays valid and steady until it is accepted.
  */
case class RequestHold() extends Component {

  /** Requests of the framer. */
  val request = slave(Stream(Request()))
  val registered = master(Stream(Request())) // the registered requests, for the control unit

  val waiting, answered = RegInit(False)
  when(request.valid && !answered)(waiting := True)
  when(registered.fire)(waiting := False)
  answered := registered.fire

  registered.valid := waiting
  registered.payload := RegNextWhen(request.payload, !waiting)
  request.ready := answered
}
