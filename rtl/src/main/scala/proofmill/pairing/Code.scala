package proofmill.pairing

import scala.collection.mutable

/** The words of a block: a header, then one word for each cycle in which an operation issues. */
class Code(schedule: BlockSchedule, homes: Map[String, Int], latency: Latency) {
  import Code._

  /** Cycles of the words; long gaps contain words without operations. */
  private val cycles: Seq[Int] = schedule.cycles.foldLeft(Seq.empty[Int]) { (found, cycle) =>
    val before = found.lastOption.getOrElse(-1)
    found ++ (before + Layout.longestGap until cycle by Layout.longestGap) :+ cycle
  } match {
    case Seq() => Seq(0)
    case some  => some
  }
  require(cycles.head == 0)
  val size: Int = cycles.size + 1
  private val last = cycles.last

  private val registers: Map[Value, (Int, Int)] = allocate

  /** Returns the stall cycles after the last word, so that the first words of `next` read written registers and the block
    * after it all of them.
    */
  def drain(next: Code): Int =
    writes.map { case (home, there) => there - last - Image.between - next.firstRead(home) }.maxOption.getOrElse(0).max(
      0
    )

  /** Returns the stall cycles until all results are written back. */
  def rest: Int =
    (schedule.made.map { case (operation, made) => made + cyclesOf(operation) }.maxOption.getOrElse(0) - last).max(0)

  private def cyclesOf(operation: Operation) = if (operation.isInstanceOf[LinearSum]) latency.sum else latency.mul
  private def writes: Seq[(String, Int)] =
    schedule.sums.toSeq.flatMap { case (cycle, sum) => sum.home.map(_ -> (cycle + latency.sum)) }
  private def firstRead(home: String): Int = schedule.read.collect {
    case (operation, cycle) if operation.reads.exists(_.variable.contains(home)) => cycle
  }.minOption.getOrElse(last)

  /** Returns the number of registers that each bank needs. */
  def registerCounts: Seq[Int] = Seq(products -> 0, sums -> homes.size).map { case (bank, least) =>
    registers.values.collect { case (`bank`, register) => register + 1 }.maxOption.getOrElse(0) max least
  }

  def summary: String =
    s"${schedule.slots.size} issue slots, ${schedule.sums.size} sums, $last cycles, registers ${registerCounts.mkString(" + ")}"

  /** Allocates a register for each result: that of its variable, or one whose earlier value has been read when the word
    * issues.
    */
  private def allocate: Map[Value, (Int, Int)] = {
    val lastRead = mutable.Map[Value, Int]()
    for ((operation, cycle) <- schedule.read; value <- operation.reads)
      lastRead(value) = lastRead.getOrElse(value, 0).max(cycle)
    val free =
      Array(mutable.TreeSet.from(0 until Layout.registers), mutable.TreeSet.from(homes.size until Layout.registers))
    val busy = mutable.Map[Value, (Int, Int)]()
    val found = mutable.Map[Value, (Int, Int)]()
    for (value <- schedule.read.keys.flatMap(_.reads); name <- value.variable) found(value) = sums -> homes(name)
    for ((operation, cycle) <- schedule.made.toSeq.sortBy(_._2)) {
      for ((value, (bank, register)) <- busy.toSeq; if lastRead.getOrElse(value, -1) <= cycle) {
        free(bank) += register
        busy -= value
      }
      val bank = if (operation.isInstanceOf[LinearSum]) sums else products
      found(operation.value) = operation match {
        case sum: LinearSum if sum.home.nonEmpty => sums -> homes(sum.home.get)
        case _ =>
          val register = free(bank).headOption.getOrElse(sys.error(s"more than ${Layout.registers} registers"))
          free(bank) -= register
          busy(operation.value) = bank -> register
          bank -> register
      }
    }
    found.toMap
  }

  /** @param control additional fields of the last word */
  def words(control: Seq[(String, Int)]): Seq[BigInt] = {
    val header = Layout.word(
      (("control" -> Layout.control("header")) +: (info("first", Some(0)) ++ info("next", Some(1)))): _*
    )
    header +: cycles.indices.map { i =>
      val more = if (i == cycles.size - 1) control else Seq.empty
      Layout.word(more ++ info("next", Some(i + 2)) ++ slot(cycles(i)) ++ sum(cycles(i)): _*)
    }
  }

  private def info(prefix: String, index: Option[Int]): Seq[(String, Int)] =
    index.filter(cycles.isDefinedAt).toSeq.flatMap { i =>
      val cycle = cycles(i)
      Seq(
        s"${prefix}_mul" -> bit(schedule.slots.contains(cycle)),
        s"${prefix}_sum" -> bit(schedule.sums.contains(cycle)),
        s"${prefix}_hold" -> bit(schedule.holds(cycle)),
        s"${prefix}_last" -> bit(i == cycles.size - 1),
        s"${prefix}_gap" -> (if (i == 0) 0 else cycle - cycles(i - 1) - 1)
      )
    }

  private def place(prefix: String, value: Value): Seq[(String, Int)] = {
    val (bank, register) = registers(value)
    Seq(s"${prefix}_bank" -> bank, s"${prefix}_reg" -> register)
  }
  private def factor(prefix: String, factor: Factor): Seq[(String, Int)] =
    place(prefix, factor.a) ++ factor.b.toSeq.flatMap(place(s"${prefix}2", _)) ++
      Seq(s"${prefix}2_on" -> bit(factor.b.nonEmpty), s"${prefix}2_minus" -> bit(factor.minus))

  private def slot(cycle: Int): Seq[(String, Int)] = schedule.slots.get(cycle).toSeq.flatMap { slot =>
    val reads = slot.reads.toSeq.flatMap {
      case m: Multiply => factor("a", m.a) ++ factor("b", m.b)
      case s: Stretch  => factor("a", s.a) ++ factor("b", s.b)
      case p: Pair     => factor("a", p.a) ++ factor("b", p.b)
      case s: Square   => factor("a", s.a)
      case _           => Seq.empty
    }
    val writes = slot.completes.toSeq.flatMap(o => Seq("mul_writes" -> 1, "mul_dst" -> registers(o.value)._2))
    ("mode" -> slot.mode.number) +: (reads ++ writes)
  }

  private def sum(cycle: Int): Seq[(String, Int)] = schedule.sums.get(cycle).toSeq.flatMap { sum =>
    val outside = sum.outside.toSeq.flatMap {
      case FromSlots(base, slot, whole) =>
        outsideIs(if (whole) "slots" else "slot") ++ Seq("base" -> base, "value" -> slot)
      case FromEntry(digit, slot, whole) =>
        outsideIs(if (whole) "entries" else "entry") ++ Seq(
          "base" -> Layout.tableOperand,
          "value" -> Layout.entry(digit, slot)
        )
      case FromConstants(index) => outsideIs("constant") :+ ("value" -> index)
      case FromInverter         => outsideIs("inverse")
    }
    val also = sum.also.toSeq.flatMap {
      case ToSlots(base, slot, whole) => alsoIs(if (whole) "slots" else "slot") ++ Seq("base" -> base, "value" -> slot)
      case ToInverter                 => alsoIs("inverter")
    }
    val terms = sum.terms.zipWithIndex.flatMap { case (term, i) =>
      place(s"t$i", term.value) ++ Seq(
        s"t${i}_on" -> 1,
        s"t${i}_minus" -> bit(term.factor < 0),
        s"t${i}_shift" -> LinearSum.shift(term.factor),
        s"t${i}_triple" -> bit(LinearSum.triple(term.factor)),
        s"t${i}_xi" -> bit(term.xi),
        s"t${i}_conj" -> bit(term.conj)
      )
    }
    Seq("sum_on" -> 1, "sum_dst" -> registers(sum.value)._2) ++ outside ++ also ++ terms
  }
  private def outsideIs(name: String) = Seq("outside" -> Layout.outsides.indexOf(name))
  private def alsoIs(name: String) = Seq("also" -> Layout.alsos.indexOf(name))
}

object Code {
  val products = 0
  val sums = 1
  private def bit(set: Boolean) = if (set) 1 else 0
}
