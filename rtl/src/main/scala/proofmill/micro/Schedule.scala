package proofmill.micro

import scala.collection.mutable

/** What a program may count on: cycles from an operation to one that reads its result, and between two operations of a context. */
case class Pace(mul: Int, linear: Int, step: Int = 2) {
  def of(operation: Operation): Int = if (operation.multiplies) mul else linear
}

/** An operation in its place, and how many of its context's products and sums may still be on their way. */
case class Placed(operation: Operation, waitMul: Int, waitLinear: Int)

/** Orders the operations of each block by their critical paths, then counts what they wait for ([[Waits]]).
  *
  * The words hold for every latency; the latencies here only choose a good order. A block is ordered knowing when what the
  * blocks before it have begun will be there, which depends on their order: so there are a few rounds of it.
  */
object Schedule {
  private val rounds = 4

  def apply(blocks: Seq[Block], pace: Pace): Seq[Seq[Placed]] = {
    val ways = blocks.zipWithIndex.map { case (block, b) => block.ways(b) }
    val first = blocks.map(_ => Map.empty[Value, Int])
    val (_, ordered) = (0 until rounds).foldLeft((first, Seq.empty[Ordered])) { case ((entries, _), _) =>
      val ordered = blocks.zip(entries).map { case (block, entry) => order(block, pace, entry) }
      val later = mutable.Seq.fill(blocks.size)(Map.empty[Value, Int])
      for ((block, b) <- ordered.zipWithIndex; next <- ways(b); (web, cycles) <- block.left)
        later(next) += web -> later(next).getOrElse(web, 0).max(cycles)
      (later.toSeq, ordered)
    }
    new Waits(ordered.map(_.operations), ways).placed
  }

  /** A block in order, and for what is on its way at its end, how many cycles it still takes. */
  private case class Ordered(operations: Seq[Operation], left: Map[Value, Int])

  private def order(block: Block, pace: Pace, entry: Map[Value, Int]): Ordered = {
    val makers = block.operations.flatMap(op => op.result.map(_ -> op)).toMap
    def data(op: Operation): Seq[Operation] = op.reads.flatMap(makers.get).distinct
    val needs = block.operations.map { op =>
      op -> (data(op).map(_ -> true) ++ op.after.toSeq.filter(block.operations.contains).map(_ -> false))
    }.toMap
    val readers = mutable.Map.empty[Operation, Seq[(Operation, Boolean)]].withDefaultValue(Seq.empty)
    for ((op, earlier) <- needs; (first, isData) <- earlier) readers(first) = readers(first) :+ (op -> isData)
    def delay(op: Operation, isData: Boolean) = if (isData) pace.of(op).max(pace.step) else pace.step

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
      val (chosen, _) = ready.filter(_._2 <= time).minBy { case (op, _) => (-urgencyOf(op), place(op)) }
      ordered += chosen
      begun(chosen) = time
      waiting -= chosen
      time += pace.step
    }
    val end = time + pace.step * block.last.size
    val made = ordered.flatMap(op => op.result.map(_.web -> (begun(op) + pace.of(op))))
    val left = (entry ++ made).map { case (web, cycle) => web -> (cycle - end) }.filter(_._2 > 0)
    Ordered(ordered.toSeq ++ block.last, left)
  }
}
