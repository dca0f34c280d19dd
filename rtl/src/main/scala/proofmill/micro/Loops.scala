package proofmill.micro

import proofmill.micro.Program._

/** Compiles loops to blocks with backward jumps.
  *
  * A variable that a loop assigns is in one register before, in and after the loop. If the operation that computes its new
  * value can write that register, it does; otherwise a copy is added. Names that are first assigned inside a loop are local
  * to it.
  *
  * @param lists those of the job, in order
  * @param expand lowers a statement to operations
  */
class Loops(names: Names, order: Order, lists: Seq[String], emission: Emission, expand: Statement => Unit) {
  import emission._

  private val registers = new Homes(emission)
  private var counter = Option.empty[(String, Int)]
  private var inside = false

  def inLoop: Boolean = inside

  /** Returns the largest value of the loop's counter, if the name is that counter. */
  def counted(name: String): Option[Int] = counter.collect { case (`name`, largest) => largest }

  /** Blocks with a backward jump, each from its label on; all begin and end with the same variables in their registers. */
  private case class Body(label: Label, expand: () => Unit, last: Seq[Operation])

  def repeat(loop: Loop): Unit = {
    val largest = names.indexOf(loop.first)
    require(largest >= 0, s"a loop cannot begin with $largest")
    val label = new Label
    def expandBody(): Unit = {
      counter = Some(loop.variable -> largest)
      loop.body.foreach(expand)
      counter = None
    }
    def begin(): Unit = {
      emit(new Operation("count", fields = Map("value" -> largest)))
      close(Seq.empty)
    }
    repeat(assigned(loop.body), () => begin(), Seq(Body(label, () => expandBody(), Seq(Jump.counting(label)))))
  }

  /** Executes the first alternative whose guard is true, repeatedly until none is. */
  def repeat(choice: Do): Unit = {
    val labels = choice.ways.map(_ => new Label)
    val behind = new Label
    def guards = choice.ways.zip(labels).map { case (way, label) => Jump.guarded(label, way.guard, lists) }
    val bodies = choice.ways.zip(labels).map { case (way, label) =>
      val away = Option.unless(label == labels.last)(Jump.always(behind))
      Body(label, () => way.body.foreach(expand), guards ++ away)
    }
    repeat(assigned(choice.ways.flatMap(_.body)), () => close(guards :+ Jump.always(behind)), bodies)
    place(behind)
  }

  private def assigned(statements: Seq[Statement]): Set[String] = statements.flatMap {
    case call: Call      => call.targets.map(names.key)
    case one: Assign     => Seq(names.key(one.target))
    case one: Copy       => Seq(names.key(one.target))
    case one: Choose     => Seq(names.key(one.target))
    case one: For        => (one.first to one.last).flatMap { i => names.number(one.variable, i); assigned(one.body) }
    case _: Power        => throw new IllegalArgumentException("a power cannot stand in a loop")
    case _: Loop | _: Do => throw new IllegalArgumentException("a loop cannot stand in a loop")
    case _               => Seq.empty
  }.toSet

  private def repeat(assigned: Set[String], begin: () => Unit, bodies: Seq[Body]): Unit = {
    require(!inside, "a loop cannot stand in a loop")
    val carried = assigned.intersect(names.values.keySet).toSeq.sorted
    val before = (names.values, mark)
    // The bank of a variable is found by trial: products if its value before and after is a product, else sums.
    def attempt(inSums: Set[String]): Unit = {
      names.values = before._1
      back(before._2)
      round(carried, inSums, begin, bodies).foreach(moved => attempt(inSums + moved))
    }
    attempt(Set.empty)
  }

  /** Lowers the blocks; or returns a variable whose register must be in the other bank. */
  private def round(
      carried: Seq[String],
      inSums: Set[String],
      begin: () => Unit,
      bodies: Seq[Body]
  ): Option[String] = {
    val homes = carried.map(name => name -> home(name, inSums(name))).toMap
    begin()
    val outside = (names.values, mark.made)
    def enter(): Unit = {
      order.forget()
      names.values = outside._1
      recall(outside._2)
      forget(homes.values.toSet)
    }
    val moved = bodies.flatMap { body =>
      place(body.label)
      enter()
      inside = true
      body.expand()
      inside = false
      val writers = carried.map(name => name -> registers.bring(homes(name), exactly(names.values(name)))).toMap
      for ((name, Right(writer)) <- writers) registers.keepOrder(homes(name), writer)
      close(body.last, Some(bodies.head.label))
      carried.find(writers(_).isLeft)
    }
    enter()
    moved.headOption
  }

  private def home(name: String, inSums: Boolean): Value = {
    val value = exactly(names.values(name))
    val own = registers.own(value, (names.values - name).values.exists(_.values(value)), inSums)
    names.values += name -> LinearForm(own)
    own
  }
}
