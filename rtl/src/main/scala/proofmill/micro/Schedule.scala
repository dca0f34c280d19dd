package proofmill.micro

import scala.collection.mutable

/** What a program may count on: cycles from an operation to one that reads its result, and between two operations of a context. */
case class Pace(mul: Int, linear: Int, step: Int = 2) {
  def of(operation: Operation): Int = if (operation.multiplies) mul else linear
}

/** An operation in its place, and how many of its context's products and sums may still be on their way. */
case class Placed(operation: Operation, waitMul: Int, waitLinear: Int)

/** Orders the operations of a block by their critical paths.
  *
  * Results of a unit come in the order in which they were begun. So an operation that reads a product needs only know
  * how many products were begun after it: when no more are on their way, its own is there. The words hold
  * for every latency; the latencies here only choose a good order.
  */
object Schedule {

  def order(block: Block, pace: Pace): Seq[Operation] = {
    val makers = block.operations.flatMap(op => op.result.map(_ -> op)).toMap
    def data(op: Operation): Seq[Operation] = op.reads.flatMap(makers.get).distinct
    val needs = block.operations.map { op =>
      op -> (data(op).map(_ -> true) ++ op.after.toSeq.filter(block.operations.contains).map(_ -> false))
    }.toMap
    val readers = mutable.Map.empty[Operation, Seq[(Operation, Boolean)]].withDefaultValue(Seq.empty)
    for ((op, earlier) <- needs; (first, isData) <- earlier) readers(first) = readers(first) :+ (op -> isData)
    def delay(op: Operation, isData: Boolean) = if (isData) pace.of(op) else pace.step

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
        Option.when(starts.forall(_.nonEmpty))((starts.flatten :+ 0).max)
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
    ordered.toSeq
  }

  /** The operations with the counts that they wait for. */
  def place(ordered: Seq[Operation]): Seq[Placed] = {
    val makers = ordered.flatMap(op => op.result.map(_ -> op)).toMap
    val begun = mutable.Map.empty[Operation, Int] // number among its unit's results
    val counts = mutable.Map(Value.products -> 0, Value.sums -> 0)
    ordered.map { op =>
      // A value of an earlier block is older than all results of this one.
      def younger(value: Value) = counts(value.bank) - makers.get(value).fold(0)(begun(_) + 1)
      def wait(bank: Int) = op.reads.filter(_.bank == bank).map(younger).minOption.getOrElse(Int.MaxValue)
      val placed = Placed(op, wait(Value.products), wait(Value.sums))
      for (result <- op.result) {
        begun(op) = counts(result.bank)
        counts(result.bank) += 1
      }
      placed
    }
  }
}
