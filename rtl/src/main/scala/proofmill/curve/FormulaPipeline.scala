package proofmill.curve

import proofmill.arith.Timed
import proofmill.field.{Arithmetic, Bound, Residue}
import proofmill.stream.{Port, StreamUnit}
import spinal.core._

/** A pipeline for a formula. It accepts inputs in every cycle and returns the outputs `schedule.latency` cycles later.
  *
  * The operands are the formula's inputs in their order; the results are its outputs. With `tagBits`, the last operand is a
  * tag that identifies the values. It becomes the last result unchanged.
  *
  * The pipeline never stalls: `in.ready` is always true and `out.ready` is ignored. The reader must have space for all values
  * in flight.
  */
class FormulaPipeline(schedule: PipelineSchedule, arithmetic: Arithmetic, tagBits: Int = 0) extends StreamUnit {
  // The superclass makes the ports before this class's values are initialised, so the values that ports use are functions or lazy.
  private def dataflow: Dataflow = schedule.dataflow

  private lazy val tag = Option.when(tagBits > 0)(Port("tag", tagBits))

  lazy val operands: Seq[Port] =
    dataflow.formula.inputs.map(in => dataflow.inputs.get(in).fold(Port(in, 1))(arithmetic.port(in, _))) ++ tag
  lazy val results: Seq[Port] =
    dataflow.outputs.map { case (name, value) => arithmetic.port(name, dataflow.bound(value)) } ++ tag
  def latency: Option[Int] = Some(schedule.latency)

  private val offsets = operands.scanLeft(0)(_ + _.bits)
  private val words = operands.zip(offsets).map { case (port, low) => io.in.payload(low, port.bits bits) }
  private val named = operands.map(_.name).zip(words)
  private val outputs = FormulaPipeline.build(
    schedule,
    arithmetic,
    residues = named.collect {
      case (in, word) if dataflow.inputs.contains(in) =>
        in -> Residue(word, arithmetic.digits, dataflow.inputs(in), cycle = 0)
    }.toMap,
    bits = named.collect { case (in, word) if dataflow.bits(in) => in -> Timed(word(0), 0) }.toMap
  )

  io.in.ready := True
  io.out.valid := (1 to schedule.latency).foldLeft(io.in.valid)((valid, _) => RegNext(valid) init False)
  io.out.payload := Cat(
    dataflow.outputs.map { case (name, value) => outputs(name).bits(schedule.latency, dataflow.bound(value)) } ++
      tag.map(_ => Timed(words.last, 0).at(schedule.latency))
  )
}

object FormulaPipeline {

  /** Generates the circuit of a schedule inside the calling component. Returns the outputs by name, all valid
    * `schedule.latency` cycles after cycle 0, in which the inputs must be valid.
    */
  def build(
      schedule: PipelineSchedule,
      arithmetic: Arithmetic,
      residues: Map[String, Residue],
      bits: Map[String, Timed[Bool]] = Map.empty
  ): Map[String, Residue] = {
    val dataflow = schedule.dataflow
    val made = dataflow.operations.foldLeft(residues) { (known, op) =>
      val start = schedule.start(op)
      val result = unit(arithmetic, op, operand => at(known(operand), start), bit => bits(bit).at(start))
      val planned = schedule.ready(op.result)
      require(result.cycle == planned, s"${op.result} is there in cycle ${result.cycle}, not in $planned as planned")
      require(result.bound.within(op.bound), s"${op.result} is ${result.bound}, more than the planned ${op.bound}")
      known + (op.result -> result)
    }
    dataflow.outputs.map { case (name, value) => name -> at(made(value), schedule.latency) }.toMap
  }

  /** Returns a residue delayed to a later cycle. Other readers of that cycle share the registers. */
  private def at(residue: Residue, cycle: Int): Residue =
    new Residue(residue.digits.map(digit => Timed(digit.at(cycle), cycle)), residue.bound)

  private def unit(arithmetic: Arithmetic, op: Operation, residue: String => Residue, bit: String => Bool): Residue =
    (op.unit, op.operands) match {
      case (Unit.Mul, Seq(a, b))          => arithmetic.mul(residue(a), residue(b))
      case (Unit.Square, Seq(a, _))       => arithmetic.mul(residue(a), residue(a))
      case (Unit.MulBy(constant), Seq(a)) => arithmetic.mul(residue(a), fixed(arithmetic, constant, residue(a).cycle))
      case (Unit.Add, Seq(a, b))          => arithmetic.add(residue(a), residue(b))
      case (Unit.Sub, Seq(a, b))          => arithmetic.sub(residue(a), residue(b))
      case (Unit.Neg, Seq(a))             => arithmetic.neg(residue(a))
      case (Unit.Scale(factor), Seq(a))   => arithmetic.scale(factor, residue(a))
      case (Unit.Gate, Seq(flag, a))      => gate(bit(flag), residue(a), op.bound)
      case (Unit.Reduce, Seq(a))          => arithmetic.reduce(residue(a))
      case (unit, operands)               => sys.error(s"$unit does not take ${operands.size} operands")
    }

  private def fixed(arithmetic: Arithmetic, constant: BigInt, cycle: Int): Residue = {
    require(arithmetic.components == 1, "a constant is in the prime field")
    val bound = arithmetic.product
    Residue(arithmetic.constant(constant, bound), arithmetic.digits, bound, cycle)
  }

  private def gate(bit: Bool, a: Residue, bound: Bound): Residue =
    new Residue(
      a.digits.map(digit => Timed(Mux(bit, digit.value.resize(bound.width), S(0, bound.width bits)), a.cycle)),
      bound
    )
}
