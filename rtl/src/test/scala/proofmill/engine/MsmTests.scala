package proofmill.engine

import proofmill.RtlTest
import proofmill.RtlTest.{clocked, random, require}
import proofmill.engine.msm._
import proofmill.spec.Curve
import spinal.core.sim._
import spinal.lib.sim._

import scala.collection.mutable

/** The parts of the MSM engine that cut scalars. The whole engine is examined through the command stream. */
object MsmTests {
  private val curves = Seq("bn254" -> 15, "bls12_381" -> 15, "bls12_377" -> 15, "toy" -> 3, "toy_bn" -> 3)
  private def numbers(count: Int) = (0 until count).map(BigInt(_))
  private def order(curve: String) = Curve(curve).scalarField.modulus

  val all: Seq[RtlTest] = Seq(
    RtlTest("msm: windows are just enough, and what a pass takes fits the buckets") {
      for (
        (curve, bucketBits) <- curves; adders <- 1 to 3; plan = WindowPlan(order(curve), adders, bucketBits);
        c <- plan.least to plan.most
      ) {
        val windows = plan.windows(c)
        require(s"$curve, $c: the largest scalar", value(plan, c, digits(plan, c, plan.r - 1)), plan.r - 1)
        require(s"$curve, $c: the buckets", (plan.group(c) << c - 1) <= (1 << bucketBits), true)
        require(s"$curve, $c: the windows", plan.group(c) * adders * plan.passes(c) >= windows, true)
        val fewer = (0 until windows - 1).map(w => BigInt(1) << (c * w + c - 1)).sum
        require(s"$curve, $c: fewer windows", plan.r - 1 + fewer < (BigInt(1) << c * (windows - 1)), false)
      }
    },
    RtlTest("msm: digits of every toy scalar, every window")(dealt(WindowPlan(order("toy"), 1, 3), numbers(79))),
    RtlTest("msm: digits of every toy scalar for two adders")(dealt(WindowPlan(order("toy"), 2, 3), numbers(79))),
    RtlTest("msm: digits of the scalars of the toy of G2")(dealt(WindowPlan(order("toy_bn"), 3, 3), numbers(97))),
    RtlTest("msm: digits of random scalars") {
      val r = random(9)
      for ((curve, adders) <- Seq("bn254" -> 1, "bls12_381" -> 2, "bls12_377" -> 1)) {
        val plan = WindowPlan(order(curve), adders, bucketBits = 15)
        val edges = Seq[BigInt](0, 1, plan.r - 1, plan.r - 2) ++ Seq(15, 120, 240).map(BigInt(1) << _)
        dealt(plan, edges.map(_ % plan.r) ++ Seq.fill(6)(BigInt(plan.r.bitLength, r) % plan.r))
      }
    }
  )

  /** The digits as the definition has them. */
  private def digits(plan: WindowPlan, c: Int, k: BigInt): Seq[BigInt] = {
    val sum = k + plan.offset(c)
    (0 until plan.windows(c)).map(w => (sum >> c * w) % (BigInt(1) << c) - (BigInt(1) << c - 1))
  }

  private def value(plan: WindowPlan, c: Int, digits: Seq[BigInt]): BigInt =
    digits.zipWithIndex.map { case (d, w) => d << c * w }.sum

  /** Every group of every pass, for each window: the buckets that a digit of the definition belongs to. */
  private def dealt(plan: WindowPlan, scalars: Seq[BigInt]): Unit = {
    import plan.{adders, group, passes}
    def expected(c: Int) = {
      val all = scalars.map(digits(plan, c, _))
      val g = group(c)
      for (p <- passes(c) - 1 to 0 by -1; own <- all; i <- 0 until g) yield {
        val taken = (0 until adders).map { s =>
          val digit = own.applyOrElse((p * adders + s) * g + i, (_: Int) => BigInt(0))
          Option.when(digit != 0)(((digit.abs - 1).toInt + (i << c - 1), digit < 0))
        }
        (taken, i == g - 1)
      }
    }
    clocked(new DigitRecoder(plan, 16)) { dut =>
      val beats = mutable.Queue[BigInt]()
      val got = mutable.ArrayBuffer[(Seq[Option[(Int, Boolean)]], Boolean)]()
      StreamDriver(dut.io.scalars, dut.clockDomain) { payload =>
        beats.nonEmpty && { payload #= beats.dequeue(); true }
      }
      StreamReadyRandomizer(dut.io.groups, dut.clockDomain)
      StreamMonitor(dut.io.groups, dut.clockDomain) { group =>
        val taken =
          group.digits.map(d => Option.when(d.nonZero.toBoolean)((d.bucket.toInt, d.negative.toBoolean))).toSeq
        got += taken -> group.last.toBoolean
      }
      for (c <- plan.least to plan.most) {
        dut.io.windowBits #= c
        dut.io.count #= scalars.size
        dut.clockDomain.assertReset()
        dut.clockDomain.waitRisingEdge(5)
        dut.clockDomain.deassertReset()
        got.clear()
        for (_ <- 0 until passes(c); pair <- scalars.grouped(2)) beats += pair.head + (pair.last << 256)
        val wanted = expected(c)
        dut.clockDomain.waitSampling(6 * wanted.size + 200)
        require(s"windows of $c bits: groups", got.size, wanted.size)
        for (((found, right), i) <- got.zip(wanted).zipWithIndex) require(s"windows of $c bits, group $i", found, right)
      }
    }
  }
}
