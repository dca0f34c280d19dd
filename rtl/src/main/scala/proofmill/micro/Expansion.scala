package proofmill.micro

import proofmill.micro.Program._
import proofmill.spec.Formula

/** Lowers a program's statements to blocks of operations: formulas line by line, `for` unrolled, [[Loops loops]] as blocks
  * with backward jumps.
  */
class Expansion(program: Program, ports: JobPorts, windows: Seq[Window], known: Constants, emission: Emission) {
  import emission._

  private val flags = new Flags(ports)
  private val order = new Order
  private val digits = new DigitRegisters(program, ports, windows, known, emission, order)
  private val names = new Names(program, ports, known, emission, digits)
  private val loops = new Loops(names, order, ports.lists.map(_.name), emission, expand)
  private val finish = new Label // the program's `end`
  private var resultsGiven = Set.empty[String]

  /** Sizes of the arrays that a digit indexes, in their order in the bank. */
  def arraySizes: Seq[(String, Int)] = names.arraySizes

  def blocks: Seq[Block] = {
    program.statements.foreach(expand)
    close(Seq.empty)
    place(finish)
    // A job whose program takes items must be fed before its context is reused.
    val lists = if (digits.fed) (1 << ports.lists.size) - 1 else 0
    close(Seq(new Operation("end", fields = Map("wait_exact" -> 1, "lists" -> lists))))
    finished
  }

  /** The number of each flag that the program sets, or that its items set. */
  def flagNumbers: Map[String, Int] = flags.numbers

  private def expand(statement: Statement): Unit =
    try statement match {
        case Call(_, targets, formula, arguments) =>
          require(Formula.names.contains(formula), s"$formula is neither a formula nor an operand of one")
          call(targets, Formula(formula), arguments.map(names.read))
        case Assign(_, target, step, operands)   => assign(target, apply(step, operands.map(names.read)))
        case Copy(_, target, from)               => assign(target, names.read(from))
        case Choose(_, target, flag, set, clear) => assign(target, choose(flag, names.read(set), names.read(clear)))
        case Power(line, target, base, exponent) =>
          power(line, target, names.read(base), Exponent(exponent, demands.arithmetic.field.modulus))
        case Zero(_, flag, of)     => order.settles(settle(names.read(of), flags.toSet(flag), weigh = false))
        case Result(_, name, from) => order.settles(settle(names.read(from), resultPlace(name), weigh = true))
        case Digit(_, window, place) =>
          val counted = loops.counted(place)
          digits.cut(window, counted.getOrElse(names.indexOf(place)), counted.nonEmpty)
        case For(_, variable, first, last, body) =>
          for (i <- first to last) {
            names.number(variable, i)
            body.foreach(expand)
          }
        case Take(_, list)         => digits.take(list)
        case Stop(_, unless, flag) => stop(unless, flag)
        case loop: Loop            => loops.repeat(loop)
        case choice: Do            => loops.repeat(choice)
        case _: On                 => throw new IllegalArgumentException("'on' stands outside of a 'do'")
      }
    catch {
      case problem: IllegalArgumentException =>
        sys.error(
          s"spec/micro/${program.name}.asm:${statement.line}: ${problem.getMessage.stripPrefix("requirement failed: ")}"
        )
    }

  private def assign(ref: Ref, sum: LinearForm): Unit = names.assign(ref, sum, loops.inLoop)

  private def apply(step: Formula.Step, operands: Seq[LinearForm]): LinearForm = (step, operands) match {
    case (_: Formula.Add, Seq(a, b))   => add(a, b)
    case (_: Formula.Sub, Seq(a, b))   => add(a, -b)
    case (_: Formula.Mul, Seq(a, b))   => mul(a, b)
    case (_: Formula.Neg, Seq(a))      => -a
    case (Formula.Scale(k, _), Seq(a)) => scale(k, a)
    case _                             => throw new IllegalArgumentException("wrong number of operands")
  }

  private def call(targets: Seq[Ref], formula: Formula, arguments: Seq[LinearForm]): Unit = {
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

  private def choose(flag: String, set: LinearForm, clear: LinearForm): LinearForm = {
    val number = flags.toRead(flag, digits.fed)
    val terms = Seq(set, clear).map(sum => register(sum).terms.head)
    val result = linear("add", terms, Map("flag" -> number, "wait_exact" -> 1, "a_when" -> 2, "b_when" -> 3))
    order.readsFlag(open.operations.last)
    LinearForm(result)
  }

  private def resultPlace(name: String): Int = {
    require(ports.answers.contains(name), s"$name is not a result")
    require(!resultsGiven(name), s"the result $name is given already")
    resultsGiven += name
    WordFormat.flags + ports.answers.indexOf(name)
  }

  /** base^exponent by sliding windows (Handbook of Applied Cryptography, Algorithm 14.85); the exponent is a constant, so the
    * sequence of operations is constant.
    */
  private def power(line: Int, target: Ref, base: LinearForm, exponent: BigInt): Unit = {
    val plan = Exponent.windows(exponent, Exponent.window(exponent))
    lazy val square = mul(base, base)
    val odd = Seq.iterate(base, plan.map(_._2).max / 2 + 1)(mul(_, square))
    val result = target.copy(name = s"${target.name}^", index = None)
    plan.zipWithIndex.foreach { case ((squarings, factor), i) =>
      if (i == 0) assign(result, odd(factor / 2))
      else {
        squareTimes(line, result, squarings)
        if (factor != 0) assign(result, mul(names.read(result), odd(factor / 2)))
      }
    }
    assign(target, names.read(result))
    names.values -= result.name
  }

  private def squareTimes(line: Int, name: Ref, times: Int): Unit = {
    val square = Assign(line, name, Formula.Mul("a", "a"), Seq(name, name))
    val unrolled = if (times < 4) times else 1
    for (_ <- 0 until unrolled) expand(square)
    if (times > unrolled) loops.repeat(Loop(line, "", s"${times - unrolled - 1}", Seq(square)))
  }

  private def stop(unless: Boolean, flag: String): Unit = {
    require(!loops.inLoop, "a program cannot stop in a loop")
    close(Seq(Jump.onFlag(finish, flags.toRead(flag, digits.fed), set = !unless)))
    order.forget()
  }
}
