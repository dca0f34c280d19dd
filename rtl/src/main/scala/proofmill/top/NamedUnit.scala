package proofmill.top

import proofmill.stream.{Port, StreamUnit}
import spinal.core._
import spinal.lib._

/** A circuit that is generated alone, with a port for each operand and each result, by its name.
  *
  * `in_valid` marks a cycle with operands, `out_valid` one with results. A single digit over a field is a signed port, or an
  * unsigned one if `Port.signed` is false; several digits are concatenated, the lowest first.
  */
abstract class NamedUnit extends Component {
  def operands: Seq[Port]
  def results: Seq[Port]

  /** Cycles from an operand to its result, if they are fixed and the unit accepts an operand in every cycle. */
  def latency: Option[Int]

  protected val inValid = in(Bool()).setName("in_valid") // operands are valid
  protected val outValid = out(Bool()).setName("out_valid") // results are valid
  protected val inputs: Seq[BitVector] = operands.map(port => in(NamedUnit.data(port)).setName(port.name))
  protected val outputs: Seq[BitVector] = results.map(port => out(NamedUnit.data(port)).setName(port.name))

  protected def assign(values: Seq[Bits]): Unit =
    for ((output, value) <- outputs.zip(values)) output.assignFromBits(value)
}

object NamedUnit {
  private def data(port: Port): BitVector =
    if (port.digits > 1 || port.field.isEmpty) Bits(port.bits bits)
    else if (port.signed) SInt(port.bits bits)
    else UInt(port.bits bits)
}

/** A unit that accepts operands in every cycle and returns their results `cycles` cycles later. It never waits, so it has no
  * ready signal.
  */
abstract class PipelinedUnit extends NamedUnit {
  protected def connect(values: Seq[Bits]): Unit = {
    outValid := Delay(inValid, latency.get, init = False)
    assign(values)
  }
}

/** The ports of a [[StreamUnit]], whose operands and results are each one word, by their names; a result with an operand's
  * name is `result_…`. A transfer takes place in a cycle with valid and ready; a pipeline, whose latency is fixed, has no
  * ready.
  */
class StreamPorts(make: () => StreamUnit) extends NamedUnit {
  // The superclass makes the ports, which are those of the unit.
  private lazy val unit = make()
  def operands: Seq[Port] = unit.operands
  def results: Seq[Port] = unit.results.map { port =>
    if (operands.exists(_.name == port.name)) port.copy(name = s"result_${port.name}") else port
  }
  def latency: Option[Int] = unit.latency

  unit.io.in.valid := inValid
  unit.io.in.payload := Cat(inputs.map(_.asBits))
  outValid := unit.io.out.valid
  assign(results.zip(results.map(_.bits).scanLeft(0)(_ + _)).map { case (port, low) =>
    unit.io.out.payload(low, port.bits bits)
  })
  if (latency.isEmpty) {
    out(Bool()).setName("in_ready") := unit.io.in.ready
    unit.io.out.ready := in(Bool()).setName("out_ready")
  } else unit.io.out.ready := True
}

object StreamPorts {
  def apply(make: => StreamUnit): StreamPorts = new StreamPorts(() => make)
}
