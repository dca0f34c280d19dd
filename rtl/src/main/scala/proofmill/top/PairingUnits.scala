package proofmill.top

import proofmill.field.Canonical
import proofmill.pairing._
import proofmill.stream.{Port, StreamUnit}
import spinal.core._
import spinal.lib._

/** The pairing processor with its slots, and its multiplier of Fp. */
object PairingUnits {
  def all: Seq[UnitTarget] = Seq("", "_twin").flatMap { kind =>
    val model = kind.nonEmpty
    lazy val machine = new PairingMachine(model)
    Seq(
      UnitTarget(
        s"pairing_bls12_381$kind",
        if (model) "pairing" else "pairing_structure",
        "bls12_381",
        model,
        () => StreamPorts(new PairingUnit(machine)),
        () => beside(machine)
      ),
      UnitTarget(
        s"modmul_long_bls12_381_fp$kind",
        "modmul_long",
        "bls12_381_fp",
        model,
        () => new LongMultiplierUnit(machine.arithmetic)
      )
    )
  }

  private def beside(machine: PairingMachine) = Map(
    "image.json" -> (Json.render(describe(machine)) + "\n"),
    "listing.txt" -> machine.image.listing.mkString("", "\n", "\n")
  )

  /** Describes the processor for spec/model/pairing_processor.py, which executes the same words. */
  private def describe(machine: PairingMachine): Json = {
    import machine.{arithmetic, contexts, image}
    def hex(value: BigInt) = Json(s"0x${value.toString(16)}")
    Json.of(
      "modulus" -> hex(arithmetic.field.modulus),
      "mul" -> Json(image.latency.mul),
      "sum" -> Json(image.latency.sum),
      "reduce" -> Json(arithmetic.base.reduceLatency),
      "canonical" -> Json(Canonical.cycles(Inverter.residue(arithmetic))),
      "contexts" -> Json(contexts),
      "registers" -> Json(image.registers.map(Json(_))),
      "constants" -> Json(machine.constants.map { case (c0, c1) => Json(Seq(hex(c0), hex(c1))) }),
      "entries" -> Json(image.entries.map(e => Json.of("name" -> Json(e.name), "address" -> Json(e.address)))),
      "words" -> Json(image.words.map(hex))
    )
  }
}

/** The multiplier of one coordinate, whose products are not reduced. */
class LongMultiplierUnit(arithmetic: Fp2Arithmetic) extends PipelinedUnit {
  import arithmetic.{base, factor, product}
  def operands: Seq[Port] = Seq("a", "b").map(base.port(_, factor))
  def results: Seq[Port] = Seq(base.port("product", product.bound))
  def latency: Option[Int] = Some(product.latency)

  private val multiplier = arithmetic.multiplier()
  private val Seq(a, b) = inputs
  multiplier.io.a := a.asBits
  multiplier.io.b := b.asBits
  connect(Seq(multiplier.io.product))
}

/** The processor with one input and one output stream. A word's `kind`: 0 writes slot a, 1 starts a program with operands a,
  * b, c, 2 reads slot a when all jobs have retired. A result is the value read, or (`done`) reports that a job has retired.
  * Writes and starts wait for the write before them. Operand d is slot 240; every verdict is good and immediate; digit i is
  * always i.
  */
class PairingUnit(machine: PairingMachine) extends StreamUnit {
  private def slotBits = 8
  private def fieldBits = machine.field.bits
  def operands: Seq[Port] =
    Seq(Port("kind", 2), Port("routine", 8)) ++ Seq("a", "b", "c").map(Port(_, slotBits)) :+ Port("value", fieldBits)
  def results: Seq[Port] = Seq(Port("done", 1), Port("value", fieldBits))
  def latency: Option[Int] = None

  private val processor = machine.processor(slotBits)
  private val parts = operands.scanLeft(0)(_ + _.bits).zip(operands).map { case (at, port) =>
    port.name -> io.in.payload(at, port.bits bits)
  }
    .toMap
  private val running = Reg(UInt(8 bits)) init 0
  private val reading = RegInit(False)
  private val free = !processor.io.writing && !reading
  private def offer(kind: Int, when: Bool) = io.in.valid && parts("kind").asUInt === kind && when

  processor.io.write.valid := offer(0, free)
  processor.io.write.value := parts("value")
  processor.io.write.tag := parts("a").asUInt
  processor.io.start.valid := offer(1, free)
  processor.io.start.program := parts("routine").asUInt.resized
  for ((letter, i) <- Seq("a", "b", "c").zipWithIndex) processor.io.start.operands(i) := parts(letter).asUInt
  processor.io.start.operands(3) := 240
  processor.io.verdict.valid := RegNext(processor.io.start.fire, init = False)
  processor.io.verdict.context := RegNext(processor.io.startContext)
  processor.io.verdict.good := True
  for (entries <- processor.io.entries; i <- 0 until Layout.digits) entries(i) := i * Layout.entrySlots
  processor.io.read.valid := offer(2, free && running === 0)
  processor.io.read.payload := parts("a").asUInt
  io.in.ready := processor.io.write.fire || processor.io.start.fire || processor.io.read.fire

  when(processor.io.read.fire)(reading := True)
  private val held = RegInit(False)
  private val value = RegNextWhen(processor.io.value.payload, processor.io.value.valid)
  when(processor.io.value.valid)(held := True)
  when(io.out.fire && held) {
    held := False
    reading := False
  }
  io.out.valid := processor.io.done.valid || held
  processor.io.done.ready := io.out.ready && !held
  io.out.payload := (value.andMask(held) ## !held)
  when(processor.io.start.fire =/= processor.io.done.fire)(
    running := processor.io.start.fire ? (running + 1) | (running - 1)
  )
}
