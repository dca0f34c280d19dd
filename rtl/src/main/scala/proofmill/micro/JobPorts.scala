package proofmill.micro

import proofmill.field.{Arithmetic, Bound}
import proofmill.spec.Field
import proofmill.stream.Port
import spinal.core.log2Up

/** The operands and results of a job, the same for all programs of a processor: whole numbers for control, and elements of the field.
  * All are plain integers at the ports; an element may be any integer of the field's width. Flags go with every result.
  *
  * @param lists lists of items that are fed while the job is in flight
  * @param feedFlags the flags that are fed with them, which are the highest ones
  */
case class JobPorts(
    numbers: Seq[(String, Int)],
    elements: Seq[String],
    answers: Seq[String],
    lists: Seq[ItemList] = Seq.empty,
    feedFlags: Seq[String] = Seq.empty
) {
  require(lists.size <= WordFormat.lists, s"at most ${WordFormat.lists} lists")
  require(feedFlags.size <= WordFormat.flags, s"at most ${WordFormat.flags} flags")

  /** Flags that programs set are below. */
  def firstFeedFlag: Int = WordFormat.flags - feedFlags.size
  def numberPorts: Seq[Port] = numbers.map { case (name, bits) => Port(name, bits) }

  /** One program more than there are is told apart. */
  def programPort(image: Image): Port = Port("program", log2Up(image.entries.size + 1))
  def operands(image: Image, field: Field): Seq[Port] =
    programPort(image) +: (numberPorts ++ elements.map(Port(_, field.bits)))
  def results(field: Field): Seq[Port] = answers.map(Port(_, field.bits)) :+ Port("flags", WordFormat.flags)
}

/** What a field's arithmetic means for programs: how large sums may become, and how integers become residues. */
class Demands(val arithmetic: Arithmetic) {
  private val field = arithmetic.field

  /** Bounds of what stands in the two banks. */
  val product: Bound = arithmetic.product
  val sum: Bound = arithmetic.reduced
  def of(value: Value): Bound = if (value.bank == Value.products) product else sum

  private def bound(terms: Seq[Term]): Bound =
    terms.map(t => of(t.value) * ((if (t.minus) -1 else 1) * t.factor)).reduceOption(_ + _).getOrElse(Bound(0, 0))

  def factor(terms: Seq[Term]): Boolean = bound(terms).within(arithmetic.factor)
  def reducible(terms: Seq[Term]): Boolean = bound(terms).within(arithmetic.reducible)

  /** Is a canonical integer its own residue? Else it is loaded in slices, each the first digit of a residue. */
  val plain: Boolean = arithmetic.digits == 1 && arithmetic.scale == 1
  val sliceBits: Int =
    if (arithmetic.digits == 1) field.bits
    else 8 * ((arithmetic.reducible.high.bitLength - 1).min(arithmetic.base.abs.bitLength) / 8)
  val slices: Int = (field.bits + sliceBits - 1) / sliceBits

  /** What a slice's residue is multiplied by to stand for its part of the integer; nothing where that is 1. */
  def sliceWeight(i: Int): Option[BigInt] = {
    val weight = field.residue((BigInt(1) << (sliceBits * i)) * arithmetic.scale)
    Option.when(weight != 1)(weight)
  }

  /** What a residue is multiplied by before its digits are the integer that it stands for. */
  val settleWeight: Option[BigInt] = Option.when(arithmetic.scale != 1)(field.inverse(arithmetic.scale))
}
