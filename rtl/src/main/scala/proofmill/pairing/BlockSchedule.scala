package proofmill.pairing

import scala.collection.mutable

/** Cycles from a word to the first word that may read its result. */
case class Latency(mul: Int, sum: Int)

/** What the multiplier does in a cycle. Two products of Fp2 take three cycles, one after the other, and one alone takes two:
  *
  *   - `Outer`: a0 b0 and a1 b1 of the factors that are read now;
  *   - `Inner`: (a0 + a1)(b0 + b1) of the factors that were read a cycle ago, which completes that product, and of those that are read now;
  *   - `Rest`: a0 b0 and a1 b1 of the factors that were read a cycle ago, which completes the second product;
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

/** What the multiplier does in one cycle: which factors it reads, which result it completes. */
case class Turn(mode: Mode, reads: Option[Operation], completes: Option[Operation])

/** Operations of a block in cycles of their own, counted from the block's first word.
  *
  * @param turns what the multiplier does, by cycle
  * @param sums what the linear unit does, by cycle
  */
case class BlockSchedule(turns: Map[Int, Turn], sums: Map[Int, LinearSum]) {
  val cycles: Seq[Int] = (turns.keySet ++ sums.keySet).toSeq.sorted

  /** The cycle of the word that makes the result, of the one that reads the operands. */
  val made: Map[Operation, Int] = turns.flatMap { case (t, turn) => turn.completes.map(_ -> t) } ++
    sums.map { case (t, sum) => (sum: Operation) -> t }
  val read: Map[Operation, Int] = turns.flatMap { case (t, turn) => turn.reads.map(_ -> t) } ++
    sums.map { case (t, sum) => (sum: Operation) -> t }

  /** A word with one of these modes is followed by the next one in the next cycle, whatever other contexts want. */
  def holds(cycle: Int): Boolean = turns.get(cycle).map(_.mode).exists {
    case Mode.Outer => true
    case Mode.Inner => turns.get(cycle + 1).exists(_.mode == Mode.Rest)
    case _          => false
  }
}

object BlockSchedule {

  /** List scheduling by critical paths.
    *
    * @param before the value that a variable's register has at first
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

    // Whoever overwrites a register waits until all have read it.
    def mustHaveRead(operation: Operation): Seq[Operation] = operation match {
      case sum: LinearSum => sum.home.flatMap(before).toSeq.flatMap(readers.getOrElse(_, Seq.empty)).filter(_ ne sum)
      case _              => Seq.empty
    }
    val overwritten = operations.map(o => o -> mustHaveRead(o)).toMap

    val there = mutable.Map[Value, Int]() // from which cycle on a result can be read
    val read = mutable.Map[Operation, Int]()
    val turns = mutable.Map[Int, Turn]()
    val sums = mutable.Map[Int, LinearSum]()
    var left = operations.sortBy(-priority(_))
    def isReady(o: Operation, cycle: Int) =
      o.reads.forall(v => v.maker.isEmpty || there.get(v).exists(_ <= cycle)) &&
        overwritten(o).forall(read.get(_).exists(_ <= cycle))
    def take(o: Operation, at: Int, made: Int, cycles: Int): Unit = {
      read(o) = at
      there(o.value) = made + cycles
      left = left.filter(_ ne o)
    }

    var cycle = 0
    while (left.nonEmpty) {
      require(cycle < 100000, "operations wait for each other")
      for (sum <- left.collectFirst { case s: LinearSum if isReady(s, cycle) => s }) {
        sums(cycle) = sum
        take(sum, cycle, cycle, latency.sum)
      }
      if (!turns.contains(cycle)) {
        val ready = left.filter(o => !o.isInstanceOf[LinearSum] && isReady(o, cycle))
        val second = ready.headOption.collect { case m: Multiply => m }
          .flatMap(m => left.collectFirst { case o: Multiply if (o ne m) && isReady(o, cycle + 1) => o })
        val simple = ready.find(!_.isInstanceOf[Multiply])
        (ready.headOption, second, simple) match {
          case (Some(m: Multiply), Some(n), _) =>
            turns(cycle) = Turn(Mode.Outer, Some(m), None)
            turns(cycle + 1) = Turn(Mode.Inner, Some(n), Some(m))
            turns(cycle + 2) = Turn(Mode.Rest, None, Some(n))
            take(m, cycle, cycle + 1, latency.mul)
            take(n, cycle + 1, cycle + 2, latency.mul)
          case (Some(m: Multiply), None, None) =>
            turns(cycle) = Turn(Mode.Outer, Some(m), None)
            turns(cycle + 1) = Turn(Mode.Inner, None, Some(m))
            take(m, cycle, cycle + 1, latency.mul)
          case (Some(_), _, Some(o)) =>
            val mode = o match {
              case _: Square  => Mode.Square
              case _: Stretch => Mode.Stretch
              case _          => Mode.Pair
            }
            turns(cycle) = Turn(mode, Some(o), Some(o))
            take(o, cycle, cycle, latency.mul)
          case _ =>
        }
      }
      cycle += 1
    }
    BlockSchedule(turns.toMap, sums.toMap)
  }
}
