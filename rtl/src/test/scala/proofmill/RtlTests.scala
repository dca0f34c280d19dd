package proofmill

import spinal.core._
import spinal.core.sim._

import scala.util.Random

/** A named check of one unit. */
case class RtlTest(name: String)(body: => Unit) {
  def run(): Unit = body
}

/** Small things that every unit's tests use. */
object RtlTest {

  /** The seed of all random operands: `-Dproofmill.seed=N`, else the clock; printed first, so that a failure can be repeated. */
  lazy val seed: Long = Option(System.getProperty("proofmill.seed")).map(_.toLong).getOrElse(System.nanoTime())
  def random(salt: Int): Random = new Random(seed + salt)

  def sim: SpinalSimConfig =
    SimConfig.withConfig(Design.config("target/rtl-tests")).workspacePath("target/rtl-tests")

  def require(what: String, got: Any, expected: Any): Unit =
    if (got != expected) throw new AssertionError(s"$what: got $got, expected $expected")

  /** Runs `dut` under a clock until `body` ends; fails instead of hanging. */
  def clocked[T <: Component](dut: => T, limit: Long = 2000000)(body: T => Unit): Unit =
    sim.compile(dut).doSim(seed = seed.toInt) { dut =>
      dut.clockDomain.forkStimulus(10)
      SimTimeout(limit * 10)
      // From here the circuit is reset: before that its registers are random, and `body` would believe them.
      dut.clockDomain.waitRisingEdge(2)
      body(dut)
    }
}

/** Runs every unit test, or those whose name contains an argument. */
object RtlTests extends App {
  val suites: Seq[Seq[RtlTest]] = Seq(
    arith.CircuitTests.all,
    arith.PlanTests.all,
    arith.SumTests.all,
    curve.PipelineTests.all,
    curve.ScheduleTests.all,
    engine.EquihashTests.all,
    engine.MsmTests.all,
    field.FieldTests.all,
    micro.AssemblerTests.all,
    spec.FormulaTests.all
  )
  println(s"seed ${RtlTest.seed}")

  val chosen = suites.flatten.filter(test => args.isEmpty || args.exists(test.name.contains))
  val failed = chosen.filterNot { test =>
    val begin = System.nanoTime()
    val outcome =
      try { test.run(); None }
      catch { case error: Throwable => Some(error) }
    println(f"${if (outcome.isEmpty) "ok    " else "FAILED"} ${test.name} (${(System.nanoTime() - begin) / 1e9}%.1f s)")
    outcome.foreach(error => println(s"       $error"))
    outcome.isEmpty
  }
  println(s"${chosen.size - failed.size} passed, ${failed.size} failed")
  sys.exit(if (failed.isEmpty && chosen.nonEmpty) 0 else 1)
}
