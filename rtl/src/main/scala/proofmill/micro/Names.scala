package proofmill.micro

import proofmill.micro.Program._

import scala.collection.mutable

/** Resolves a program's names: variables, elements of its job, constants, and arrays that a digit indexes, whose elements
  * have fixed positions in the bank.
  */
class Names(program: Program, ports: JobPorts, known: Constants, emission: Emission, digits: DigitRegisters) {
  import emission._

  /** The value of each variable. */
  var values = Map.empty[String, LinearForm]
  private val arrays = mutable.LinkedHashMap.from(lookedUp(program.statements).map(_ -> mutable.Map.empty[Int, Value]))
  // Variables of `for`, and `last` if all windows have the same number of positions.
  private var numbers = program.windows.map(digits.places).distinct match {
    case Seq(one) => Map("last" -> (one - 1))
    case _        => Map.empty[String, Int]
  }

  /** Sizes of the arrays that a digit indexes, in their order in the bank. */
  def arraySizes: Seq[(String, Int)] = arrays.toSeq.map { case (name, elements) => name -> (elements.keys.max + 1) }

  private def lookedUp(statements: Seq[Statement]): Seq[String] = statements.flatMap {
    case loop: Loop  => lookedUp(loop.body)
    case inside: For => lookedUp(inside.body)
    case choice: Do  => lookedUp(choice.ways)
    case way: On     => lookedUp(way.body)
    case one         => operands(one).filter(digits.isLookup).map(_.name).filterNot(known.tables.contains)
  }.distinct

  private def operands(statement: Statement): Seq[Ref] = statement match {
    case one: Call   => one.arguments
    case one: Assign => one.operands
    case one: Copy   => Seq(one.from)
    case one: Choose => Seq(one.set, one.clear)
    case one: Power  => Seq(one.base)
    case one: Zero   => Seq(one.of)
    case one: Result => Seq(one.from)
    case _           => Seq.empty
  }

  /** Binds a variable of `for` to a number. */
  def number(variable: String, number: Int): Unit = numbers += variable -> number

  def key(ref: Ref): String = ref.index.fold(ref.name)(index => s"${ref.name}[${indexOf(index)}]")

  def indexOf(index: String): Int = {
    val Offset = """(\w+)\s*([-+])\s*(\w+)""".r
    def number(text: String) = numbers.get(text).orElse(text.toIntOption).getOrElse(
      throw new IllegalArgumentException(s"$text is not a number here")
    )
    index match {
      case Offset(variable, "+", offset) => number(variable) + number(offset)
      case Offset(variable, _, offset)   => number(variable) - number(offset)
      case _                             => number(index)
    }
  }

  def read(ref: Ref): LinearForm = ref match {
    case Ref(name, Some(digit), signed) if digits.isLookup(ref) =>
      LinearForm(digits.lookup(name, digit, signed, arrays(name)))
    case Ref(name, None, _) if name.forall(_.isDigit) => constant(BigInt(name))
    case _ =>
      values.getOrElse(
        key(ref),
        ref.name match {
          case name if ports.elements.contains(name) =>
            val sum = element(ports.elements.indexOf(name))
            values += name -> sum
            sum
          case name if known.single.contains(name) => constant(known.single(name))
          case name                                => throw new IllegalArgumentException(s"$name has no value here")
        }
      )
  }

  def assign(ref: Ref, sum: LinearForm, inLoop: Boolean): Unit = {
    require(
      !inLoop || !arrays.contains(ref.name),
      s"${ref.name} is looked up by a digit and cannot be assigned in a loop"
    )
    values += key(ref) -> (if (arrays.contains(ref.name)) LinearForm(store(ref, sum)) else sum)
  }

  /** Stores an array's element in the register that a digit will index. */
  private def store(ref: Ref, sum: LinearForm): Value = {
    val place = indexOf(ref.index.get)
    require(!arrays(ref.name).contains(place), s"${ref.name}[$place] has a value already")
    val found = exactly(sum)
    val free = found.bank == Value.sums && isFresh(found) && found.element.isEmpty && found.web == found
    val value = if (free) found else copy(found)
    value.element = Some(ref.name -> place)
    arrays(ref.name)(place) = value
    value
  }
}
