package proofmill.micro

import proofmill.field.Arithmetic
import spinal.core._
import spinal.lib._

/** External operands of the linear unit: a slice of the job, a constant, or the element of a table that a digit's magnitude
  * indexes. `value` is valid one cycle after the word's issue.
  */
class Outside(
    ports: JobPorts,
    arithmetic: Arithmetic,
    image: Image,
    demands: Demands,
    operandWidth: Int,
    issue: Flow[Issue],
    job: Bits,
    magnitude: UInt
) extends Area {
  import Outside._
  import arithmetic.field

  val isAsked: Bool = issue.is("load") || issue.is("rom") || issue.is("table")
  private val number = issue.field("value")

  private val slices = {
    val first = ports.numberPorts.map(_.bits).sum
    ports.elements.indices.flatMap { i =>
      job(first + i * field.bits, field.bits bits).resize(demands.slices * demands.sliceBits bits)
        .subdivideIn(demands.slices slices)
    }.map(slice => slice.resize(operandWidth).resize(arithmetic.digits * operandWidth))
  }
  private val constants = image.constants.map { c =>
    Cat(arithmetic.encode(c).map(digit => S(digit, operandWidth bits).asBits))
  }
  private val plain = RegNext(issue.is("rom") ? pick(number, constants) | pick(number, slices))

  private val tables = image.tables.map { table =>
    require(arithmetic.digits == 1, "tables are for residues of one digit")
    val words = table.map(arithmetic.encode(_).head)
    val columns = for (from <- 0 until field.bits by tableColumn) yield {
      val bits = tableColumn min (field.bits - from)
      val column = words.map(word => B((word >> from) & ((BigInt(1) << bits) - 1), bits bits))
      Mem(Bits(bits bits), column).readSync(magnitude.resize(log2Up(words.size)))
    }
    Cat(columns).resize(operandWidth)
  }
  val value: Bits = if (tables.isEmpty) plain else RegNext(issue.is("table")) ? pick(RegNext(number), tables) | plain
}

object Outside {

  /** Bits of a table in one memory: whole columns of a block RAM, and one word of a simulator. */
  private val tableColumn = 63

  /** Selects the element `index`; zero if there is none. */
  def pick(index: UInt, from: Seq[Bits]): Bits = from.zipWithIndex
    .map { case (bits, i) => (index === i) ? bits | B(0, bits.getWidth bits) }.reduceBalancedTree(_ | _)
}
