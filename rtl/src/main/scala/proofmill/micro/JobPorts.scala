package proofmill.micro

import proofmill.field.{Arithmetic, Bound}
import proofmill.spec.Field
import proofmill.stream.Port
import spinal.core.log2Up

/** The operands and results of a job, the same for all programs of a processor: integers for control, and elements of the
  * field. All are integers at the ports; an element may be any integer of the field's width. Every result includes the flags.
  *
  * @param lists lists of items that are written while the job is in flight
  * @param feedFlags names of the flags that are written with the items; they have the highest numbers
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

  /** The number of the first flag that items set; programs set lower ones. */
  def firstFeedFlag: Int = WordFormat.flags - feedFlags.size
  def numberPorts: Seq[Port] = numbers.map { case (name, bits) => Port(name, bits) }

  /** The port of the program number. Its range includes one invalid number, which is detected. */
  def programPort(image: Image): Port = Port("routine", log2Up(image.entries.size + 1))
  def operands(image: Image, field: Field): Seq[Port] =
    programPort(image) +: (numberPorts ++ elements.map(Port(_, field.bits)))
  def results(field: Field): Seq[Port] = answers.map(Port(_, field.bits)) :+ Port("flags", WordFormat.flags)
}

/** The limits of a field's arithmetic for programs: bounds of sums, and conversions between integers and residues. */
class Demands(val arithmetic: Arithmetic) {
  private val field = arithmetic.field

  /** Bounds of the values in the two banks. */
  val product: Bound = arithmetic.product
  val sum: Bound = arithmetic.reduced
  def of(value: Value): Bound = if (value.bank == Value.products) product else sum

  private def bound(terms: Seq[Term]): Bound =
    terms.map(t => of(t.value) * ((if (t.minus) -1 else 1) * t.factor)).reduceOption(_ + _).getOrElse(Bound(0, 0))

  def factor(terms: Seq[Term]): Boolean = bound(terms).within(arithmetic.factor)
  def reducible(terms: Seq[Term]): Boolean = bound(terms).within(arithmetic.reducible)

  /** Whether a canonical integer is its own residue. Otherwise it is loaded in slices, each as the first digit of a residue. */
  val plain: Boolean = arithmetic.digits == 1 && arithmetic.scale == 1
  val sliceBits: Int =
    if (arithmetic.digits == 1) field.bits
    else 8 * ((arithmetic.reducible.high.bitLength - 1).min(arithmetic.base.abs.bitLength) / 8)
  val slices: Int = (field.bits + sliceBits - 1) / sliceBits

  /** Returns the factor that gives a slice's residue its weight in the integer; none if it is 1. */
  def sliceWeight(i: Int): Option[BigInt] = {
    val weight = field.residue((BigInt(1) << (sliceBits * i)) * arithmetic.scale)
    Option.when(weight != 1)(weight)
  }

  /** The factor that converts a residue to one whose digits represent its integer. */
  val settleWeight: Option[BigInt] = Option.when(arithmetic.scale != 1)(field.inverse(arithmetic.scale))
}
