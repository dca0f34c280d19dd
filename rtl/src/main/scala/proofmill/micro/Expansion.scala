package proofmill.micro

import proofmill.micro.Program._
import proofmill.spec.Formula

import scala.collection.mutable

/** A program's statements become blocks of operations: formulas line by line, `for` unrolled, loops as blocks that repeat themselves.
  *
  * A variable that a loop assigns lives in one register before, in and after the loop. Where the operation that makes its
  * new value can write there, it does; else a copy is added. Names first given inside a loop end with it.
  */
class Expansion(program: Program, door: Door, windows: Seq[Window], known: Constants, emission: Emission) {
  import emission._

  private var names = Map.empty[String, Sum]
  private val flags = new Flags(door)
  private val registers = new Homes(emission)
  private val arrays = mutable.LinkedHashMap.empty[String, mutable.Map[Int, Value]]
  // Variables of `for`, and `last` where all windows have as many places.
  private var numbers = program.windows.map(places).distinct match {
    case Seq(one) => Map("last" -> (one - 1))
    case _        => Map.empty[String, Int]
  }
  private var largest = 0 // that the loop's counter is
  private var counter = Option.empty[String]
  private var inLoop = false
  private var taken = false // an item, so that the job is fed
  private val finish = new Label // the program's `end`

  // Order that registers do not tell: who must come after the last operation that set a digit register or a flag.
  private var digitSetters = Map.empty[Int, Operation]
  private var digitReaders = Map.empty[Int, Seq[Operation]].withDefaultValue(Seq.empty)
  private var exact = Option.empty[Operation]
  private var flagReaders = Seq.empty[Operation]
  private var digitsSet = Set.empty[Int]
  private var resultsGiven = Set.empty[String]

  /** Sizes of the arrays that are looked up by a digit, in the order in which they stand in the bank. */
  def arraySizes: Seq[(String, Int)] = arrays.toSeq.map { case (name, elements) => name -> (elements.keys.max + 1) }

  def blocks: Seq[Block] = {
    lookedUp(program.statements).foreach(arrays(_) = mutable.Map.empty)
    program.statements.foreach(expand)
    close(Seq.empty)
    place(finish)
    // A job whose program takes items must be fed before its context is another's.
    val lists = if (taken) (1 << door.lists.size) - 1 else 0
    close(Seq(new Operation("end", fields = Map("wait_exact" -> 1, "lists" -> lists))))
    finished
  }

  /** Where each flag is found that the program sets, or is given. */
  def flagNumbers: Map[String, Int] = flags.numbers

  private def lookedUp(statements: Seq[Statement]): Seq[String] = statements.flatMap {
    case loop: Loop  => lookedUp(loop.body)
    case inside: For => lookedUp(inside.body)
    case choice: Do  => lookedUp(choice.ways)
    case way: On     => lookedUp(way.body)
    case one         => operands(one).filter(isLookup).map(_.name).filterNot(known.tables.contains)
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

  private def places(window: Window) = Program.places(
    window,
    door.numbers.toMap.getOrElse(
      window.number,
      sys.error(s"spec/micro/${program.name}.asm: window ${window.name}: ${window.number} is not a number of the job")
    )
  )

  private def isWindow(name: String) = program.windows.exists(_.name == name)
  private def isList(name: String) = door.lists.exists(_.name == name)
  private def isLookup(ref: Ref) = ref.index.exists(index => isWindow(index) || isList(index))

  private def expand(statement: Statement): Unit =
    try statement match {
        case Call(_, targets, formula, arguments) =>
          require(Formula.names.contains(formula), s"$formula is neither a formula nor an operand of one")
          call(targets, Formula(formula), arguments.map(read))
        case Assign(_, target, step, operands)   => assign(target, apply(step, operands.map(read)))
        case Copy(_, target, from)               => assign(target, read(from))
        case Choose(_, target, flag, set, clear) => assign(target, choose(flag, read(set), read(clear)))
        case Power(line, target, base, exponent) => power(line, target, read(base), Exponent(exponent, field.modulus))
        case Zero(_, flag, of)                   => settled(settle(read(of), flags.toSet(flag), weigh = false))
        case Result(_, name, from)               => settled(settle(read(from), resultPlace(name), weigh = true))
        case Digit(_, window, place)             => digit(window, place)
        case For(_, variable, first, last, body) =>
          for (i <- first to last) {
            numbers += variable -> i
            body.foreach(expand)
          }
        case Take(_, list)         => take(list)
        case Stop(_, unless, flag) => stop(unless, flag)
        case loop: Loop            => repeat(loop)
        case choice: Do            => repeat(choice)
        case _: On                 => throw new IllegalArgumentException("'on' stands outside of a 'do'")
      }
    catch {
      case problem: IllegalArgumentException =>
        sys.error(
          s"spec/micro/${program.name}.asm:${statement.line}: ${problem.getMessage.stripPrefix("requirement failed: ")}"
        )
    }

  private def field = demands.arithmetic.field

  // Names and operands.

  private def key(ref: Ref): String = ref.index.fold(ref.name)(index => s"${ref.name}[${indexOf(index)}]")

  private def indexOf(index: String): Int = {
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

  private def read(ref: Ref): Sum = ref match {
    case Ref(name, Some(digit), signed) if isLookup(ref) => Sum(lookup(name, digit, signed))
    case Ref(name, None, _) if name.forall(_.isDigit)    => constant(BigInt(name))
    case _ =>
      names.getOrElse(
        key(ref),
        ref.name match {
          case name if door.elements.contains(name) =>
            val sum = element(door.elements.indexOf(name))
            names += name -> sum
            sum
          case name if known.single.contains(name) => constant(known.single(name))
          case name                                => throw new IllegalArgumentException(s"$name has no value here")
        }
      )
  }

  private def assign(ref: Ref, sum: Sum): Unit = {
    names += key(ref) -> (if (arrays.contains(ref.name)) Sum(store(ref, sum)) else sum)
  }

  /** An array's element stands where a digit will look for it. */
  private def store(ref: Ref, sum: Sum): Value = {
    require(!inLoop, s"${ref.name} is looked up by a digit and cannot be assigned in a loop")
    val place = indexOf(ref.index.get)
    require(!arrays(ref.name).contains(place), s"${ref.name}[$place] has a value already")
    val found = exactly(sum)
    val free = found.bank == Value.sums && isFresh(found) && found.element.isEmpty && found.web == found
    val value = if (free) found else copy(found)
    value.element = Some(ref.name -> place)
    arrays(ref.name)(place) = value
    value
  }

  // Operations.

  private def apply(step: Formula.Step, operands: Seq[Sum]): Sum = (step, operands) match {
    case (_: Formula.Add, Seq(a, b))   => add(a, b)
    case (_: Formula.Sub, Seq(a, b))   => add(a, -b)
    case (_: Formula.Mul, Seq(a, b))   => mul(a, b)
    case (_: Formula.Neg, Seq(a))      => -a
    case (Formula.Scale(k, _), Seq(a)) => scale(k, a)
    case _                             => throw new IllegalArgumentException("wrong number of operands")
  }

  private def call(targets: Seq[Ref], formula: Formula, arguments: Seq[Sum]): Unit = {
    require(arguments.size == formula.inputs.size, s"${formula.name} has ${formula.inputs.size} inputs")
    require(targets.size == formula.outputs.size, s"${formula.name} has ${formula.outputs.size} outputs")
    require(formula.over.isEmpty, s"${formula.name} is over ${formula.over.getOrElse("")}")
    val small = formula.constants.flatMap(c => known.single.get(c).filter(_.abs < 64).map(c -> _.toInt)).toMap
    val large = formula.constants.filterNot(small.contains).map(c =>
      c -> constant(known.single.getOrElse(c, throw new IllegalArgumentException(s"the constant $c is not known")))
    )
    val values = formula.lines.foldLeft(formula.inputs.zip(arguments).toMap ++ large) { (found, line) =>
      val result = line.step match {
        case Formula.Mul(a, b) if small.contains(a) => scale(small(a), found(b))
        case Formula.Mul(a, b) if small.contains(b) => scale(small(b), found(a))
        case step                                   => apply(step, step.operands.map(found))
      }
      found + (line.result -> result)
    }
    targets.zip(formula.outputs).foreach { case (target, output) => assign(target, values(output)) }
  }

  private def choose(flag: String, set: Sum, clear: Sum): Sum = {
    val number = flags.toRead(flag, taken)
    val terms = Seq(set, clear).map(sum => register(sum).terms.head)
    val result = linear("add", terms, Map("flag" -> number, "wait_exact" -> 1, "a_when" -> 2, "b_when" -> 3))
    val operation = open.operations.last
    operation.after ++= exact
    flagReaders :+= operation
    Sum(result)
  }

  private def resultPlace(name: String): Int = {
    require(door.answers.contains(name), s"$name is not a result")
    require(!resultsGiven(name), s"the result $name is given already")
    resultsGiven += name
    WordFormat.flags + door.answers.indexOf(name)
  }

  /** Canonical values are made one after the other; flags are read only when theirs is there. */
  private def settled(operation: Operation): Unit = {
    operation.after ++= exact ++ flagReaders
    exact = Some(operation)
    flagReaders = Seq.empty
  }

  private def digit(window: String, place: String): Unit = {
    val register = digitRegister(window)
    val number = windows.indexWhere(w =>
      program.windows.find(_.name == window).exists(p => p.number == w.number && p.bits == w.bits)
    )
    val there = places(program.windows(register))
    val last = if (counter.contains(place)) largest else indexOf(place)
    require(last >= 0 && last < there, s"$window has places 0 to ${there - 1}, not $last")
    val at = if (counter.contains(place)) Map("counted" -> 1, "value" -> 0) else Map("value" -> indexOf(place))
    setDigit(register, new Operation("digit", fields = Map("digit" -> register, "dst" -> number) ++ at))
  }

  /** The next item of a list; of lists it is the order of taking that counts, which is that of their digit registers. */
  private def take(list: String): Unit = {
    val number = door.lists.indexWhere(_.name == list)
    require(number >= 0, s"$list is not a list of the job")
    taken = true
    val register = digitRegister(list)
    setDigit(register, new Operation("take", fields = Map("digit" -> register, "dst" -> number)))
  }

  private def setDigit(register: Int, operation: Operation): Unit = {
    digitsSet += register
    operation.after ++= digitReaders(register) ++ digitSetters.get(register)
    digitSetters += register -> operation
    digitReaders += register -> Seq.empty
    emit(operation)
  }

  private def digitRegister(name: String): Int = {
    val register = (program.windows.map(_.name) ++ door.lists.map(_.name)).indexOf(name)
    require(register >= 0 && register < WordFormat.digitRegisters, s"$name is not a digit, or one too many")
    register
  }

  /** The largest magnitude that a digit register has. */
  private def reach(digit: String): Int =
    program.windows.find(_.name == digit).map(window => 1 << (window.bits - 1))
      .getOrElse(door.lists.find(_.name == digit).get.magnitudes - 1)

  private def lookup(name: String, digit: String, signed: Boolean): Value = {
    val register = digitRegister(digit)
    require(digitsSet(register), s"the digit $digit is never set")
    val fields = Map("digit" -> register, "a_signed" -> (if (signed) 1 else 0))
    val result = known.tables.get(name) match {
      case Some(table) =>
        require(table.size > reach(digit), s"$name does not have elements 0 to ${reach(digit)}")
        val number = known.tables.keys.toSeq.indexOf(name)
        linear("table", Seq.empty, fields + ("value" -> number))
      case None =>
        val elements = arrays(name)
        require((0 to reach(digit)).forall(elements.contains), s"$name does not have elements 0 to ${reach(digit)}")
        linear("add", Seq(Term(elements(0), 0, minus = false)), fields + ("a_lookup" -> 1), elements.values.toSeq)
    }
    val operation = open.operations.last
    operation.after ++= digitSetters.get(register)
    digitReaders += register -> (digitReaders(register) :+ operation)
    result
  }

  /** base^exponent by sliding windows (Handbook of Applied Cryptography, Algorithm 14.85); the exponent is known, so the order is constant. */
  private def power(line: Int, target: Ref, base: Sum, exponent: BigInt): Unit = {
    val plan = Exponent.windows(exponent, Exponent.window(exponent))
    lazy val square = mul(base, base)
    val odd = Seq.iterate(base, plan.map(_._2).max / 2 + 1)(mul(_, square))
    val result = target.copy(name = s"${target.name}^", index = None)
    plan.zipWithIndex.foreach { case ((squarings, factor), i) =>
      if (i == 0) assign(result, odd(factor / 2))
      else {
        squareTimes(line, result, squarings)
        if (factor != 0) assign(result, mul(read(result), odd(factor / 2)))
      }
    }
    assign(target, read(result))
    names -= result.name
  }

  private def squareTimes(line: Int, name: Ref, times: Int): Unit = {
    val square = Assign(line, name, Formula.Mul("a", "a"), Seq(name, name))
    val unrolled = if (times < 4) times else 1
    for (_ <- 0 until unrolled) expand(square)
    if (times > unrolled) repeat(Loop(line, "", s"${times - unrolled - 1}", Seq(square)))
  }

  // Loops.

  private def assigned(statements: Seq[Statement]): Set[String] = statements.flatMap {
    case call: Call      => call.targets.map(key)
    case one: Assign     => Seq(key(one.target))
    case one: Copy       => Seq(key(one.target))
    case one: Choose     => Seq(key(one.target))
    case one: For        => (one.first to one.last).flatMap { i => numbers += one.variable -> i; assigned(one.body) }
    case _: Power        => throw new IllegalArgumentException("a power cannot stand in a loop")
    case _: Loop | _: Do => throw new IllegalArgumentException("a loop cannot stand in a loop")
    case _               => Seq.empty
  }.toSet

  /** Blocks that control comes back to, each from its label on; all begin and end with the same variables in their registers. */
  private case class Body(label: Label, expand: () => Unit, last: Seq[Operation])

  private def repeat(loop: Loop): Unit = {
    largest = indexOf(loop.first)
    require(largest >= 0, s"a loop cannot begin with $largest")
    val label = new Label
    val again = Jump.counting(label)
    def expandBody(): Unit = {
      counter = Some(loop.variable)
      loop.body.foreach(expand)
      counter = None
    }
    repeat(
      assigned(loop.body),
      () => {
        emit(new Operation("count", fields = Map("value" -> largest)))
        close(Seq.empty)
      },
      Seq(Body(label, () => expandBody(), Seq(again)))
    )
  }

  /** The first way whose guard is true is gone, again and again until none is. */
  private def repeat(choice: Do): Unit = {
    val labels = choice.ways.map(_ => new Label)
    val behind = new Label
    val lists = door.lists.map(_.name)
    def guards = choice.ways.zip(labels).map { case (way, label) => Jump.guarded(label, way.guard, lists) }
    val bodies = choice.ways.zip(labels).map { case (way, label) =>
      val away = Option.unless(label == labels.last)(Jump.always(behind))
      Body(label, () => way.body.foreach(expand), guards ++ away)
    }
    repeat(assigned(choice.ways.flatMap(_.body)), () => close(guards :+ Jump.always(behind)), bodies)
    place(behind)
  }

  private def stop(unless: Boolean, flag: String): Unit = {
    require(!inLoop, "a program cannot stop in a loop")
    close(Seq(Jump.onFlag(finish, flags.toRead(flag, taken), set = !unless)))
    forgetOrder()
  }

  private def repeat(assigned: Set[String], begin: () => Unit, bodies: Seq[Body]): Unit = {
    require(!inLoop, "a loop cannot stand in a loop")
    val carried = assigned.intersect(names.keySet).toSeq.sorted
    val before = (names, mark)
    // The bank of a variable is found by trying: products, if its value before and after is one, else sums.
    def attempt(inSums: Set[String]): Unit = {
      names = before._1
      back(before._2)
      round(carried, inSums, begin, bodies).foreach(moved => attempt(inSums + moved))
    }
    attempt(Set.empty)
  }

  /** Expands the blocks; or names a variable whose register must be in the other bank. */
  private def round(
      carried: Seq[String],
      inSums: Set[String],
      begin: () => Unit,
      bodies: Seq[Body]
  ): Option[String] = {
    val homes = carried.map(name => name -> home(name, inSums(name))).toMap
    begin()
    val outside = (names, mark.made)
    def enter(): Unit = {
      forgetOrder()
      names = outside._1
      recall(outside._2)
      forget(homes.values.toSet)
    }
    val moved = bodies.flatMap { body =>
      place(body.label)
      enter()
      inLoop = true
      body.expand()
      inLoop = false
      val writers = carried.map(name => name -> registers.bring(homes(name), exactly(names(name)))).toMap
      for ((name, Right(writer)) <- writers) registers.keepOrder(homes(name), writer)
      close(body.last, Some(bodies.head.label))
      carried.find(writers(_).isLeft)
    }
    enter()
    moved.headOption
  }

  private def forgetOrder(): Unit = {
    digitSetters = Map.empty
    digitReaders = Map.empty[Int, Seq[Operation]].withDefaultValue(Seq.empty)
    exact = None
    flagReaders = Seq.empty
  }

  private def home(name: String, inSums: Boolean): Value = {
    val value = exactly(names(name))
    val own = registers.own(value, (names - name).values.exists(_.values(value)), inSums)
    names += name -> Sum(own)
    own
  }
}
