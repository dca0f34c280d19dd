package proofmill.engine.ntt

import proofmill.arith.Lag
import proofmill.field.{Bound, Residue}
import spinal.core._
import spinal.lib._

/** Butterflies of four points in the lanes, or two of two points. Except in the last step, each result is then multiplied by
  * a power of the root.
  *
  * {{{
  *   y0 = x0 + x2   y1 = x1 + x3   y2 = x0 - x2   y3 = i (x1 - x3)    (of two points: y = x)
  *   z0 = y0 + y1   z1 = y0 - y1   z2 = y2 + y3   z3 = y2 - y3
  * }}}
  * z0 to z3 are the results 0, 2, 1, 3 of four points. Result o of index j in the rest of the block is multiplied by root(2 r
  * + 2)^(o j), where j is the lowest 2 r bits of the time. With two points a block has half the size; the higher lane bit is
  * the highest one of j, and lanes 1 and 3 have result 1. An inverse transform uses -i and inverse powers. z0 is reduced
  * instead of multiplied.
  *
  * @param r number of later steps
  */
class RadixFour(residues: LongResidues, r: Int) extends Component {
  import residues.arithmetic
  val io = new Bundle {
    val two = in(Bool()) // steady: butterflies of two points
    val inverse = in(Bool()) // steady
    val time = in(UInt(NttConfig.passBits bits)) // number of the beat in its pass
    val points = in(Vec(SInt(residues.bits bits), 4)) // elements of the beat
    val results = out(Vec(SInt(residues.bits bits), 4)) // results, `latency` cycles later
  }
  private def fits(x: Residue) = if (x.bound.within(arithmetic.factor)) x else arithmetic.reduce(x)

  private val x = io.points.map(residues.residue(_)).toSeq
  private val sums = Seq(0, 1).map(k => arithmetic.add(x(k), x(k + 2)))
  private val differences = Seq(0, 1).map(k => arithmetic.sub(x(k), x(k + 2)))
  private val turned = residues.timesI(if (residues.iMultiplies) fits(differences(1)) else differences(1))
  private val made = sums :+ differences.head :+ turned
  private val start = made.map(_.cycle).max
  private val y = made.zip(x).map { case (four, two) => residues.late(residues.either(io.two, two, four), start) }

  private val evens = Seq(arithmetic.add(y(0), y(1)), arithmetic.sub(y(0), y(1)))
  private val odds = Seq(arithmetic.add(y(2), y(3)), arithmetic.sub(y(2), y(3)))
  private val back = io.inverse && !io.two
  private val z = evens ++ Seq(residues.either(back, odds(1), odds(0)), residues.either(back, odds(0), odds(1)))

  private def powers(lane: Int, inverse: Boolean, two: Boolean): Seq[BigInt] = {
    val (w, p) = (residues.root(2 * r + 2), residues.field.modulus)
    val o = Seq(0, 2, 1, 3)(lane)
    (0 until 1 << (2 * r)).map { j =>
      val exponent = if (two) 2 * j + (1 << (2 * r)) else o * j
      w.modPow(if (inverse) -exponent else exponent, p)
    }
  }
  private def multiplied(z: Residue, lane: Int): Residue = {
    val factor = fits(z)
    val all = io.time.take(2 * r).asUInt
    val j = io.two ? all.take(2 * r - 1).asUInt.resize(2 * r) | all
    val index = lane match {
      case 1 => io.inverse ## j
      case 2 => io.inverse ## (io.two ? U(0) | j)
      case 3 => io.inverse ## io.two ## j
    }
    val kinds = for (inverse <- Seq(false, true); two <- if (lane == 3) Seq(false, true) else Seq(false))
      yield powers(lane, inverse, two)
    val power = residues.chosen(kinds.flatten, Lag(index.asUInt, factor.cycle - 1))
    arithmetic.mul(factor, residues.residue(power, factor.cycle))
  }
  private val results = z.zipWithIndex.map { case (z, lane) =>
    if (lane == 0 || r == 0) arithmetic.reduce(z) else multiplied(z, lane)
  }

  /** Cycles from the points to the results. */
  val latency: Int = results.map(_.cycle).max
  for ((to, result) <- io.results.zip(results)) to := residues.together(residues.late(result, latency))
}
