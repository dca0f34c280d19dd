package proofmill.micro

import scala.collection.mutable

/** Latencies: cycles from an operation to one that reads its result, and between two operations of a context. */
case class OperationLatency(mul: Int, linear: Int, step: Int = 2) {
  def of(operation: Operation): Int = if (operation.multiplies) mul else linear
}

/** An operation, and the maximum number of its context's products and sums in flight when it is issued. */
case class Placed(operation: Operation, waitMul: Int, waitLinear: Int)

/** Orders the operations of each block by their critical paths, then computes their dependences on results in flight
  * ([[Waits]]).
  *
  * The words are correct for every latency; the latencies only guide the order. The order of a block uses the cycles in which
  * results of earlier blocks become available, which depend on the order of those blocks. Therefore several rounds are run.
  */
object IssueOrder {
  private val rounds = 4

  def apply(blocks: Seq[Block], latency: OperationLatency): Seq[Seq[Placed]] = {
    val ways = blocks.zipWithIndex.map { case (block, b) => block.ways(b) }
    val first = blocks.map(_ => Map.empty[Value, Int])
    val (_, ordered) = (0 until rounds).foldLeft((first, Seq.empty[Ordered])) { case ((entries, _), _) =>
      val ordered = blocks.zip(entries).map { case (block, entry) => order(block, latency, entry) }
      val later = mutable.Seq.fill(blocks.size)(Map.empty[Value, Int])
      for ((block, b) <- ordered.zipWithIndex; (next, jumps) <- ways(b).zipWithIndex; (web, there) <- block.there) {
        // A control path is taken after the jumps before it and its own.
        val cycles = there - block.end - latency.step * (jumps + 1).min(blocks(b).last.size)
        if (cycles > 0) later(next) += web -> later(next).getOrElse(web, 0).max(cycles)
      }
      (later.toSeq, ordered)
    }
    new Waits(ordered.map(_.operations), ways).placed
  }

  /** A block in order; the start cycle of the first of its final operations, and the cycles in which values become available. */
  private case class Ordered(operations: Seq[Operation], end: Int, there: Map[Value, Int])

  private def order(block: Block, latency: OperationLatency, entry: Map[Value, Int]): Ordered = {
    val makers = block.operations.flatMap(op => op.result.map(_ -> op)).toMap
    def data(op: Operation): Seq[Operation] = op.reads.flatMap(makers.get).distinct
    val needs = block.operations.map { op =>
      op -> (data(op).map(_ -> true) ++ op.after.toSeq.filter(block.operations.contains).map(_ -> false))
    }.toMap
    val readers = mutable.Map.empty[Operation, Seq[(Operation, Boolean)]].withDefaultValue(Seq.empty)
    for ((op, earlier) <- needs; (first, isData) <- earlier) readers(first) = readers(first) :+ (op -> isData)
    def delay(op: Operation, isData: Boolean) = if (isData) latency.of(op).max(latency.step) else latency.step

    val urgency = mutable.Map.empty[Operation, Int]
    def urgencyOf(op: Operation): Int = urgency.getOrElse(
      op, {
        val found = (readers(op).map { case (reader, isData) => urgencyOf(reader) + delay(op, isData) } :+ 0).max
        urgency(op) = found
        found
      }
    )
    val place = block.operations.zipWithIndex.toMap
    val begun = mutable.Map.empty[Operation, Int]
    val waiting = mutable.LinkedHashSet.from(block.operations)
    var time = 0
    val ordered = mutable.ArrayBuffer.empty[Operation]
    while (waiting.nonEmpty) {
      def earliest(op: Operation): Option[Int] = {
        val starts = needs(op).map { case (first, isData) => begun.get(first).map(_ + delay(first, isData)) }
        val before = op.reads.filterNot(makers.contains).flatMap(value => entry.get(value.web))
        Option.when(starts.forall(_.nonEmpty))((starts.flatten ++ before :+ 0).max)
      }
      val ready = waiting.toSeq.flatMap(op => earliest(op).map(op -> _))
      require(ready.nonEmpty, "the order of a block has a circle")
      time = time.max(ready.map(_._2).min)
      // A more urgent operation that becomes ready before another operation would have issued is preferred.
      val soon = ready.filter(_._2 < time + latency.step)
      val (chosen, there) = soon.minBy { case (op, cycle) => (-urgencyOf(op), cycle, place(op)) }
      time = time.max(there)
      ordered += chosen
      begun(chosen) = time
      waiting -= chosen
      time += latency.step
    }
    val made = ordered.flatMap(op => op.result.map(_.web -> (begun(op) + latency.of(op))))
    Ordered(ordered.toSeq ++ block.last, time, entry ++ made)
  }
}
