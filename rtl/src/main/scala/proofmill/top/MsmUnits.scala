package proofmill.top

import proofmill.arith.Timing
import proofmill.engine.msm.Points
import proofmill.spec.Curve
import proofmill.stream.{Port, StreamUnit}
import spinal.core._
import spinal.lib._

/** The cores of `msm`, each also with behavioural multipliers. */
object MsmUnits {
  def all: Seq[UnitTarget] = for {
    (name, curve, group, bucketBits) <- Seq(
      ("toy", "toy", 1, 3),
      ("toy_wide", "toy", 1, 9),
      ("toy_bn_g2", "toy_bn", 2, 3),
      ("bn254", "bn254", 1, 15),
      ("bn254_g2", "bn254", 2, 15),
      ("bls12_381", "bls12_381", 1, 15),
      ("bls12_381_g2", "bls12_381", 2, 15),
      ("bls12_377", "bls12_377", 1, 15),
      ("bls12_377_g2", "bls12_377", 2, 15)
    )
    model <- Seq(false, true)
    slotBits = if (name.startsWith("toy") && bucketBits == 3) Some(6) else None
    make = () => StreamPorts(new CoreUnit(() => new Points(Curve(curve), group, model, slotBits), bucketBits))
  } yield UnitTarget(s"msm_core_$name" + (if (model) "_twin" else ""), "msm_core", curve, model, make)
}

/** A core with one input and one output stream. The input is points for buckets, and orders. The output is the accumulator
  * after each order, with the pairs and cycles of the accumulation (from the first point until the order is accepted) and
  * those of the order.
  *
  * A point has its format in memory; so has the point that Gather adds, with its order.
  */
class CoreUnit(makePoints: () => Points, bucketBits: Int) extends StreamUnit {
  private lazy val points = makePoints()

  def operands: Seq[Port] = Seq(
    Port("order", 1),
    Port("kind", 2),
    Port("window_bits", 5),
    Port("windows", bucketBits + 1),
    Port("doublings", 16),
    Port("first", 1),
    Port("bucket", bucketBits),
    Port("negative", 1),
    Port("slices", Points.sliceBits, points.slices)
  )
  def results: Seq[Port] =
    points.ports ++ Seq("issues", "cycles", "order_issues", "order_cycles").map(Port(_, 32))
  def latency: Option[Int] = None

  private val core = points.core(bucketBits, Timing())
  private val parts = {
    val starts = operands.map(_.bits).scanLeft(0)(_ + _)
    operands.zip(starts).map { case (port, low) => port.name -> io.in.payload(low, port.bits bits) }.toMap
  }

  // From the memory format to the core.
  private val move = Bool()
  private val (point, cycles) = {
    val area = new ClockEnableArea(move) {
      val point = points.fromMemory(parts("slices").subdivideIn(points.slices slices).toSeq, parts("negative")(0))
    }
    (area.point.value, area.point.cycle)
  }
  private def delayed[T <: Data](value: T): T = (1 to cycles).foldLeft(value)((v, _) => RegNextWhen(v, move))
  private val valid = (1 to cycles).foldLeft(io.in.valid)((v, _) => RegNextWhen(v, move) init False)
  private val isOrder = delayed(parts("order")(0))

  private val ordered = RegInit(False)
  core.io.items.valid := valid && !isOrder && !ordered
  core.io.items.bucket := delayed(parts("bucket").asUInt)
  core.io.items.point := point
  core.io.commands.valid := valid && isOrder && !ordered
  core.io.commands.kind.assignFromBits(delayed(parts("kind")))
  core.io.commands.windowBits := delayed(parts("window_bits").asUInt)
  core.io.commands.windows := delayed(parts("windows").asUInt)
  core.io.commands.after := delayed(parts("doublings").asUInt)
  core.io.commands.first := delayed(parts("first")(0))
  core.io.externalSum := RegNextWhen(point, core.io.commands.fire)
  move := !valid || core.io.items.fire || core.io.commands.fire
  io.in.ready := move

  // An order's result; no other word is accepted before the result is.
  private val begun = Reg(Bool()) init False
  private val issues, cyclesOf = Vec(Reg(UInt(32 bits)) init 0, 2)
  private val phase = ordered.asUInt
  when(begun || core.io.items.fire) {
    begun := True
    issues(phase) := issues(phase) + core.io.issued.asUInt
    cyclesOf(phase) := cyclesOf(phase) + 1
  }
  when(core.io.commands.fire) {
    begun := True
    ordered := True
  }
  io.out.valid := ordered && !core.io.busy
  io.out.payload := Cat(Seq(points.coordinatesOf(core.io.acc), issues(0), cyclesOf(0), issues(1), cyclesOf(1)))
  when(io.out.fire) {
    begun := False
    ordered := False
    (issues ++ cyclesOf).foreach(_ := 0)
  }
}
