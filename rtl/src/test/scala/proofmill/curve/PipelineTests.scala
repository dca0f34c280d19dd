package proofmill.curve

import proofmill.RtlTest
import proofmill.RtlTest.require
import proofmill.field.Arithmetic
import proofmill.spec.{Field, Formula}
import proofmill.stream.Port
import spinal.core.sim._

import scala.collection.mutable

/** Pipelines as circuits; the point adders are tested in `rtl/sim/test_point_adders.py`. */
object PipelineTests {
  def all: Seq[RtlTest] = Seq(
    RtlTest("curve: every unit once in a pipeline, with gaps, and a tag that rides along")(everyUnit())
  )

  private val field = Field("goldilocks")
  private val constants =
    Map("c" -> BigInt("123456789abcdef", 16), "small" -> BigInt(9), "minus" -> (field.modulus - 7))

  /** Each kind of line that there is; `z` is a bit, and the sums grow until they have to be reduced. */
  private val formula = Formula.parse(
    "every_unit",
    Seq(
      "formula every_unit",
      "source none",
      "inputs a b z",
      "constants c small minus",
      "outputs x u y a",
      "s = a * a",
      "d = a - b",
      "t = c * d",
      "g = z * t",
      "n = - g",
      "m = n * minus",
      "e = 12 * m",
      "f = small * e",
      "h = f + s",
      "x = h * h",
      "u = 4 * x",
      "w = 3 * u",
      "v = w - d",
      "y = v * n"
    )
  )

  private def everyUnit(): scala.Unit = {
    val arithmetic = Arithmetic(field)
    val dataflow = Dataflow(formula, Terms(arithmetic), field.modulus, constants, bits = Set("z"))
    val units = dataflow.operations.map(_.unit.name).toSet
    require("units", units, Set("mul", "square", "mul by constant", "add", "sub", "neg", "scale", "gate", "reduce"))
    val schedule = PipelineSchedule(dataflow)
    RtlTest.clocked(new FormulaPipeline(schedule, arithmetic, tagBits = 16)) { dut =>
      dut.clockDomain.waitSampling() // the reset is over
      val random = RtlTest.random(3)
      val awaited = mutable.Queue.empty[(Long, BigInt, Seq[BigInt])]
      var checked = 0
      for (cycle <- 0L until 3000L) {
        dut.io.in.valid #= random.nextInt(3) > 0
        val inputs = Map("a" -> BigInt(63, random), "b" -> BigInt(63, random), "z" -> BigInt(random.nextInt(2)))
        val tag = BigInt(16, random)
        val values =
          dut.operands.map(port => if (port.name == "tag") Seq(tag) else digits(arithmetic, port, inputs(port.name)))
        dut.io.in.payload #= pack(dut.operands, values)
        sleep(1)
        if (dut.io.in.valid.toBoolean) awaited += ((cycle, tag, formula.evaluate(field, inputs ++ constants)))
        if (dut.io.out.valid.toBoolean) {
          val (entered, tag, expected) = awaited.dequeue()
          val found = unpack(dut.results, dut.io.out.payload.toBigInt)
          require("latency", cycle - entered, schedule.latency.toLong)
          require("outputs", found.init.map(arithmetic.decode), expected)
          require("tag", found.last.map(_.mod(1 << 16)), Seq(tag))
          checked += 1
        }
        dut.clockDomain.waitRisingEdge()
      }
      require("many results", checked > 1500, true)
    }
  }

  private def digits(arithmetic: Arithmetic, port: Port, value: BigInt): Seq[BigInt] =
    if (port.field.isEmpty) Seq(value) else arithmetic.encode(value)

  private def pack(ports: Seq[Port], values: Seq[Seq[BigInt]]): BigInt =
    ports.zip(values).foldRight(BigInt(0)) { case ((port, digits), above) =>
      digits.foldRight(above)((digit, above) => (above << port.width) | digit.mod(BigInt(1) << port.width))
    }

  /** Digits as signed numbers. */
  private def unpack(ports: Seq[Port], word: BigInt): Seq[Seq[BigInt]] = {
    val lows = ports.scanLeft(0)(_ + _.bits)
    for ((port, low) <- ports.zip(lows)) yield (0 until port.digits).map { i =>
      val bits = (word >> (low + i * port.width)).mod(BigInt(1) << port.width)
      if (bits.testBit(port.width - 1)) bits - (BigInt(1) << port.width) else bits
    }
  }
}
