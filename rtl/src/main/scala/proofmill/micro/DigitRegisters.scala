package proofmill.micro

import proofmill.micro.Program.{Ref, Window}

/** Compiles accesses to a program's digit registers: one for each of its windows and for each list of its job. */
class DigitRegisters(
    program: Program,
    ports: JobPorts,
    windows: Seq[Window],
    known: Constants,
    emission: Emission,
    order: Order
) {
  private val registers = program.windows.map(_.name) ++ ports.lists.map(_.name)
  private var set = Set.empty[Int]
  private var taken = false

  /** Whether an item has been taken, so that the job must be fed. */
  def fed: Boolean = taken

  /** Returns whether a digit indexes the element of an array or of a table. */
  def isLookup(ref: Ref): Boolean = ref.index.exists(registers.contains)

  def places(window: Window): Int = Program.places(
    window,
    ports.numbers.toMap.getOrElse(
      window.number,
      sys.error(s"spec/micro/${program.name}.asm: window ${window.name}: ${window.number} is not a number of the job")
    )
  )

  /** Sets a digit register to the digit at a position of a window. If `counted`, the position is the loop's counter, whose
    * maximum is `place`.
    */
  def cut(window: String, place: Int, counted: Boolean): Unit = {
    val register = registerOf(window)
    val number = windows.indexWhere(w =>
      program.windows.find(_.name == window).exists(p => p.number == w.number && p.bits == w.bits)
    )
    val there = places(program.windows(register))
    require(place >= 0 && place < there, s"$window has places 0 to ${there - 1}, not $place")
    val at = if (counted) Map("counted" -> 1, "value" -> 0) else Map("value" -> place)
    emit(register, new Operation("digit", fields = Map("digit" -> register, "dst" -> number) ++ at))
  }

  /** Takes the next item of a list. Takes from all lists keep their order, which is that of their digit registers. */
  def take(list: String): Unit = {
    val number = ports.lists.indexWhere(_.name == list)
    require(number >= 0, s"$list is not a list of the job")
    taken = true
    val register = registerOf(list)
    emit(register, new Operation("take", fields = Map("digit" -> register, "dst" -> number)))
  }

  /** Returns the element of a table or of an array that a digit's magnitude indexes. */
  def lookup(name: String, digit: String, signed: Boolean, elements: => collection.Map[Int, Value]): Value = {
    val register = registerOf(digit)
    require(set(register), s"the digit $digit is never set")
    val fields = Map("digit" -> register, "a_signed" -> (if (signed) 1 else 0))
    val result = known.tables.get(name) match {
      case Some(table) =>
        require(table.size > reach(digit), s"$name does not have elements 0 to ${reach(digit)}")
        val number = known.tables.keys.toSeq.indexOf(name)
        emission.linear("table", Seq.empty, fields + ("value" -> number))
      case None =>
        require((0 to reach(digit)).forall(elements.contains), s"$name does not have elements 0 to ${reach(digit)}")
        val first = Term(elements(0), 0, minus = false)
        emission.linear("add", Seq(first), fields + ("a_lookup" -> 1), elements.values.toSeq)
    }
    order.readsDigit(register, emission.open.operations.last)
    result
  }

  private def emit(register: Int, operation: Operation): Unit = {
    set += register
    order.setsDigit(register, operation)
    emission.emit(operation)
  }

  private def registerOf(name: String): Int = {
    val register = registers.indexOf(name)
    require(register >= 0 && register < WordFormat.digitRegisters, s"$name is not a digit, or one too many")
    register
  }

  /** Returns the largest magnitude of a digit register. */
  private def reach(digit: String): Int =
    program.windows.find(_.name == digit).map(window => 1 << (window.bits - 1))
      .getOrElse(ports.lists.find(_.name == digit).get.magnitudes - 1)
}
