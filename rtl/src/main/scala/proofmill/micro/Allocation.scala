package proofmill.micro

import scala.collection.mutable

/** Registers for the values of a program, whose blocks follow each other in this order; `arrays` come first in the bank of sums.
  * `loops` says for each block which blocks control may come from and go to again and again.
  *
  * A register is free again when its last reader has begun: writers of a bank finish in the order in which they began, and
  * no result is there before an earlier operation has read its operands.
  */
class Allocation(blocks: Seq[Seq[Operation]], loops: Seq[Option[Range]], arrays: Seq[(String, Int)]) {
  private val bases: Map[String, Int] = arrays.map(_._1).zip(arrays.map(_._2).scanLeft(0)(_ + _)).toMap
  private val reserved = arrays.map(_._2).sum

  /** Life of a register's values: from the first to the last place where it must not be another's. */
  private case class Life(web: Value, first: Int, last: Int)

  private val lives: Seq[Life] = {
    val starts = blocks.map(_.size).scanLeft(0)(_ + _)
    val ends = starts.tail.map(_ - 1)
    val first = mutable.LinkedHashMap.empty[Value, Int]
    val last = mutable.Map.empty[Value, Int]

    /** A value from before a loop is used `at` some place of a block: in the next round again, if there is one. */
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

  /** Registers used of each bank. */
  val used: Seq[Int] = WordFormat.banks.indices.map { bank =>
    val own = registers.collect { case (value, register) if value.bank == bank => register + 1 }
    (own.toSeq :+ (if (bank == Value.sums) reserved else 0)).max
  }
}
