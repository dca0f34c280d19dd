package proofmill.curve

import scala.collection.mutable

/** Schedules the steps of a pipeline of fixed latency with as few delay register bits as possible.
  *
  * A value of w bits that is ready in cycle r and last read in cycle e waits in w (e - r) register bits. A step that starts
  * later holds its operands longer and its own result shorter, so moving it saves registers if its result is narrower than
  * its operands. The starts that the dependences allow form a lattice, and the cost is a linear function on it. Starting from
  * the earliest schedule, whole sets of steps are moved later, each time the set with the largest saving; this ends at the
  * optimum (K. Murota, Discrete Convex Analysis, 2003, section 10.3: steepest descent for L-natural convex functions). The
  * best set is a closure of maximum weight, found by one maximum flow (J.-C. Picard, 1976).
  */
private[curve] object Slack {

  /** A value and the step that computes it. Every step's value is read by a later step or is an output.
    *
    * @param reads the operands, as indices below its own; none for an input, which is valid in cycle 0
    * @param width bits of the value
    * @param output whether it is read in the last cycle
    */
  case class Step(reads: Seq[Int], latency: Int, width: Int, output: Boolean)

  /** Returns the starts if every step begins as soon as its operands are valid. */
  def earliest(steps: Seq[Step]): Vector[Int] =
    steps.foldLeft(Vector.empty[Int]) { (starts, step) =>
      starts :+ step.reads.map(i => starts(i) + steps(i).latency).maxOption.getOrElse(0)
    }

  /** Returns the last cycle: that in which the slowest output is ready. */
  def end(steps: Seq[Step], starts: Seq[Int]): Int =
    steps.indices.filter(steps(_).output).map(i => starts(i) + steps(i).latency).max

  /** Returns the cycle of each value's last use. */
  def lastReads(steps: Seq[Step], starts: Seq[Int], end: Int): Vector[Int] = {
    val last = Array.tabulate(steps.size)(i => if (steps(i).output) end else starts(i) + steps(i).latency)
    for ((step, start) <- steps.zip(starts); i <- step.reads) last(i) = last(i).max(start)
    last.toVector
  }

  /** Returns the number of register bits between the steps. */
  def cost(steps: Seq[Step], starts: Seq[Int], end: Int): Int =
    steps.indices.map(i => steps(i).width * (lastReads(steps, starts, end)(i) - starts(i) - steps(i).latency)).sum

  /** Returns the starts that need the fewest register bits. */
  def fewestRegisters(steps: Seq[Step]): Vector[Int] = {
    val first = earliest(steps)
    val last = end(steps, first)
    Iterator.iterate(Option(first))(_.flatMap(later(steps, _, last))).takeWhile(_.isDefined).flatten.toSeq.last
  }

  /** Moves the set of steps with the largest saving for each cycle as far as possible; none if no move saves registers. */
  private def later(steps: Seq[Step], starts: Vector[Int], end: Int): Option[Vector[Int]] = {
    val moved = bestSet(steps, starts, end)
    Option.when(moved.nonEmpty) {
      val last = lastReads(steps, starts, end)
      val room = steps.indices.flatMap { i =>
        val ready = starts(i) + steps(i).latency
        val readers = steps.indices.filter(j => steps(j).reads.contains(i))
        val untilReader = readers.filterNot(moved).filter(_ => moved(i)).map(starts(_) - ready)
        val untilEnd = Option.when(moved(i) && steps(i).output)(end - ready)
        val untilLastRead = readers.filter(moved).map(last(i) - starts(_)).filter(_ > 0)
        untilReader ++ untilEnd ++ untilLastRead
      }
      starts.zipWithIndex.map { case (start, i) => if (moved(i)) start + room.min else start }
    }
  }

  /** Returns the set of steps that saves most if all of them start one cycle later. */
  private def bestSet(steps: Seq[Step], starts: Seq[Int], end: Int): Set[Int] = {
    val count = steps.size
    val last = lastReads(steps, starts, end)
    // Member i: step i moves. Member count + i: value i is held one cycle longer.
    val closure = new Closure(2 * count)
    for ((step, i) <- steps.zipWithIndex) {
      val ready = starts(i) + step.latency
      closure.weigh(count + i, -step.width)
      if (step.reads.isEmpty || step.output && ready == end) closure.forbid(i) else closure.weigh(i, step.width)
      for (operand <- step.reads) {
        if (last(operand) == starts(i)) closure.requires(i, count + operand)
        if (starts(i) == starts(operand) + steps(operand).latency) closure.requires(operand, i)
      }
    }
    closure.best.filter(_ < count)
  }
}

/** A maximum-weight closure: a choice among members with weights, where some members require others. */
private[curve] class Closure(members: Int) {
  private val source = members
  private val sink = members + 1
  private val capacity = Array.fill(members + 2)(mutable.Map.empty[Int, Long].withDefaultValue(0L))
  private val unlimited = Long.MaxValue / 4

  private def arc(from: Int, to: Int, amount: Long): scala.Unit = capacity(from)(to) = capacity(from)(to) + amount

  def weigh(member: Int, weight: Int): scala.Unit =
    if (weight > 0) arc(source, member, weight) else if (weight < 0) arc(member, sink, -weight)
  def forbid(member: Int): scala.Unit = arc(member, sink, unlimited)
  def requires(member: Int, other: Int): scala.Unit = arc(member, other, unlimited)

  /** Returns the best choice; empty if no choice has a positive weight. */
  def best: Set[Int] = {
    while (push(source, unlimited, mutable.Set.empty) > 0) {}
    reached(Set(source), List(source)) - source
  }

  /** Sends flow along one augmenting path from `node` to the sink; returns the amount. */
  private def push(node: Int, amount: Long, seen: mutable.Set[Int]): Long =
    if (node == sink) amount
    else if (!seen.add(node)) 0
    else {
      val sent = capacity(node).toSeq.iterator
        .collect { case (next, room) if room > 0 => (next, push(next, amount.min(room), seen)) }
        .find(_._2 > 0)
      for ((next, flow) <- sent) {
        arc(node, next, -flow)
        arc(next, node, flow)
      }
      sent.fold(0L)(_._2)
    }

  @annotation.tailrec
  private def reached(found: Set[Int], open: List[Int]): Set[Int] = open match {
    case Nil => found
    case node :: rest =>
      val next = capacity(node).collect { case (to, room) if room > 0 && !found(to) => to }.toList
      reached(found ++ next, next ++ rest)
  }
}
