package proofmill.micro

import scala.collection.mutable

/** Allocates registers for the values of a program. `blocks` is in program order; `arrays` occupy the first registers of the
  * bank of sums. `loops` gives, for each block, the blocks of its loop.
  *
  * A register is free again when its last reader has been issued: the writers of a bank write back in the order of their
  * issue, and no result is written before earlier operations have read their operands.
  */
class Allocation(blocks: Seq[Seq[Operation]], loops: Seq[Option[Range]], arrays: Seq[(String, Int)]) {
  private val bases: Map[String, Int] = arrays.map(_._1).zip(arrays.map(_._2).scanLeft(0)(_ + _)).toMap
  private val reserved = arrays.map(_._2).sum

  /** The live range of a register: from the first to the last position at which it must not hold another value. */
  private case class Life(web: Value, first: Int, last: Int)

  private val lives: Seq[Life] = {
    val starts = blocks.map(_.size).scanLeft(0)(_ + _)
    val ends = starts.tail.map(_ - 1)
    val first = mutable.LinkedHashMap.empty[Value, Int]
    val last = mutable.Map.empty[Value, Int]

    /** Records a use of a value at a position of a block. A value from before a loop is live until the end of the loop. */
    def used(value: Value, block: Int, at: Int): Unit = {
      val again = loops(block).filterNot(loop => first.get(value).exists(_ >= starts(loop.start)))
      last(value) = last.getOrElse(value, at).max(again.fold(at)(loop => ends(loop.last)))
    }
    for ((block, b) <- blocks.zipWithIndex; (op, i) <- block.zipWithIndex; at = starts(b) + i) {
      for (value <- op.result.map(_.web)) {
        first.getOrElseUpdate(value, at)
        used(value, b, at)
      }
      op.reads.map(_.web).foreach(used(_, b, at))
    }
    first.toSeq.map { case (web, at) => Life(web, at, last(web)) }
  }

  private val registers: Map[Value, Int] = {
    val free = WordFormat.banks.indices.map { bank =>
      val from = if (bank == Value.sums) reserved else 0
      bank -> mutable.SortedSet.from(from until WordFormat.registers)
    }.toMap
    val held = mutable.Set.empty[(Life, Int)]
    val found = mutable.Map.empty[Value, Int]
    for (life <- lives.filter(_.web.element.isEmpty).sortBy(_.first)) {
      for (old @ (dead, register) <- held.toSeq; if dead.last <= life.first) {
        free(dead.web.bank) += register
        held -= old
      }
      val bank = free(life.web.bank)
      require(bank.nonEmpty, s"more than ${WordFormat.registers} ${WordFormat.banks(life.web.bank)} at once")
      found(life.web) = bank.head
      held += life -> bank.head
      bank -= bank.head
    }
    found.toMap
  }

  def apply(value: Value): Int =
    value.element.fold(registers(value.web)) { case (array, place) => bases(array) + place }

  /** Number of registers used in each bank. */
  val used: Seq[Int] = WordFormat.banks.indices.map { bank =>
    val own = registers.collect { case (value, register) if value.bank == bank => register + 1 }
    (own.toSeq :+ (if (bank == Value.sums) reserved else 0)).max
  }
}
