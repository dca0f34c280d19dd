package proofmill.pairing

import scala.collection.mutable

/** Cycles from a word to the first word that can read its result. */
case class Latency(mul: Int, sum: Int)

/** Operating modes of the multiplier. Two products of Fp2 take three consecutive cycles; a single one takes two:
  *
  *   - `Outer`: a0 b0 and a1 b1 of the factors that are read in this cycle;
  *   - `Inner`: (a0 + a1)(b0 + b1) of the factors of the cycle before, which completes that product, and of those that are read in this cycle;
  *   - `Rest`: a0 b0 and a1 b1 of the factors of the cycle before, which completes the second product;
  *   - `Square`: (a0 + a1)(a0 - a1) and 2 a0 a1; `Stretch`: a0 b0 and a1 b0; `Pair`: a0 b0 and a1 b1.
  */
sealed abstract class Mode(val number: Int)
object Mode {
  case object Outer extends Mode(1)
  case object Inner extends Mode(2)
  case object Rest extends Mode(3)
  case object Square extends Mode(4)
  case object Stretch extends Mode(5)
  case object Pair extends Mode(6)
}

/** An issue slot of the multiplier: the operation whose factors it reads, and the operation whose result it completes. */
case class IssueSlot(mode: Mode, reads: Option[Operation], completes: Option[Operation])

/** The operations of a block in their cycles, counted from the block's first word.
  *
  * @param slots issue slots of the multiplier, by cycle
  * @param sums operations of the linear unit, by cycle
  */
case class BlockSchedule(slots: Map[Int, IssueSlot], sums: Map[Int, LinearSum]) {
  val cycles: Seq[Int] = (slots.keySet ++ sums.keySet).toSeq.sorted

  /** The cycle of the word that computes the result, and of the word that reads the operands. */
  val made: Map[Operation, Int] = slots.flatMap { case (t, slot) => slot.completes.map(_ -> t) } ++
    sums.map { case (t, sum) => (sum: Operation) -> t }
  val read: Map[Operation, Int] = slots.flatMap { case (t, slot) => slot.reads.map(_ -> t) } ++
    sums.map { case (t, sum) => (sum: Operation) -> t }

  /** Whether the next word of the same context must follow in the next cycle, with priority over other contexts. */
  def holds(cycle: Int): Boolean = slots.get(cycle).map(_.mode).exists {
    case Mode.Outer => true
    case Mode.Inner => slots.get(cycle + 1).exists(_.mode == Mode.Rest)
    case _          => false
  }
}

object BlockSchedule {

  /** List scheduling with critical-path priorities.
    *
    * @param before the initial value of a variable's register
    */
  def apply(operations: Seq[Operation], before: String => Option[Value], latency: Latency): BlockSchedule = {
    def cycles(operation: Operation) = operation match {
      case _: LinearSum => latency.sum
      case _: Multiply  => latency.mul + 1
      case _            => latency.mul
    }
    val readers = operations.flatMap(o => o.reads.distinct.map(_ -> o)).groupMap(_._1)(_._2)
    val priority = mutable.Map[Operation, Int]()
    for (o <- operations.reverse)
      priority(o) = cycles(o) + readers.getOrElse(o.value, Seq.empty).map(priority).maxOption.getOrElse(0)

    // An operation that overwrites a register waits until all readers of the old value have read it.
    def mustHaveRead(operation: Operation): Seq[Operation] = operation match {
      case sum: LinearSum => sum.home.flatMap(before).toSeq.flatMap(readers.getOrElse(_, Seq.empty)).filter(_ ne sum)
      case _              => Seq.empty
    }
    val overwritten = operations.map(o => o -> mustHaveRead(o)).toMap

    val available = mutable.Map[Value, Int]() // first cycle in which a result can be read
    val read = mutable.Map[Operation, Int]()
    val slots = mutable.Map[Int, IssueSlot]()
    val sums = mutable.Map[Int, LinearSum]()
    var left = operations.sortBy(-priority(_))
    def isReady(o: Operation, cycle: Int) =
      o.reads.forall(v => v.maker.isEmpty || available.get(v).exists(_ <= cycle)) &&
        overwritten(o).forall(read.get(_).exists(_ <= cycle))
    def take(o: Operation, at: Int, made: Int, cycles: Int): Unit = {
      read(o) = at
      available(o.value) = made + cycles
      left = left.filter(_ ne o)
    }

    var cycle = 0
    while (left.nonEmpty) {
      require(cycle < 100000, "operations wait for each other")
      for (sum <- left.collectFirst { case s: LinearSum if isReady(s, cycle) => s }) {
        sums(cycle) = sum
        take(sum, cycle, cycle, latency.sum)
      }
      if (!slots.contains(cycle)) {
        val ready = left.filter(o => !o.isInstanceOf[LinearSum] && isReady(o, cycle))
        val second = ready.headOption.collect { case m: Multiply => m }
          .flatMap(m => left.collectFirst { case o: Multiply if (o ne m) && isReady(o, cycle + 1) => o })
        val simple = ready.find(!_.isInstanceOf[Multiply])
        (ready.headOption, second, simple) match {
          case (Some(m: Multiply), Some(n), _) =>
            slots(cycle) = IssueSlot(Mode.Outer, Some(m), None)
            slots(cycle + 1) = IssueSlot(Mode.Inner, Some(n), Some(m))
            slots(cycle + 2) = IssueSlot(Mode.Rest, None, Some(n))
            take(m, cycle, cycle + 1, latency.mul)
            take(n, cycle + 1, cycle + 2, latency.mul)
          case (Some(m: Multiply), None, None) =>
            slots(cycle) = IssueSlot(Mode.Outer, Some(m), None)
            slots(cycle + 1) = IssueSlot(Mode.Inner, None, Some(m))
            take(m, cycle, cycle + 1, latency.mul)
          case (Some(_), _, Some(o)) =>
            val mode = o match {
              case _: Square  => Mode.Square
              case _: Stretch => Mode.Stretch
              case _          => Mode.Pair
            }
            slots(cycle) = IssueSlot(mode, Some(o), Some(o))
            take(o, cycle, cycle, latency.mul)
          case _ =>
        }
      }
      cycle += 1
    }
    BlockSchedule(slots.toMap, sums.toMap)
  }
}
