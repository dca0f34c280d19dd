package proofmill.micro

import scala.collection.mutable

/** Computes the number of results that may be in flight when an operation is issued.
  *
  * A unit returns its results in order. An operation that reads a product therefore waits until no more products are in
  * flight than were issued after that one. For a value of an earlier block it is the minimum over all control paths: a fixed
  * point over the blocks.
  */
class Waits(blocks: Seq[Seq[Operation]], ways: Seq[Seq[Int]]) {

  /** For each register whose value may be in flight, the number of younger results of its bank. */
  private type Younger = Map[Value, Int]

  /** Maximum number of results in flight: a value with as many younger results is available. */
  private val most = WordFormat.mul("wait_mul").all

  private def after(operation: Operation, before: Younger): Younger = operation.result.fold(before) { result =>
    val older = before.collect {
      case (web, n) if web.bank != result.bank => web -> n; case (web, n) if n + 1 < most => web -> (n + 1)
    }
    older + (result.web -> 0)
  }

  private val entries: Seq[Younger] = {
    val found = mutable.Seq.fill(blocks.size)(Map.empty: Younger)
    def spread(from: Seq[Int]): Unit = if (from.nonEmpty) spread(
      (for {
        b <- from
        end = blocks(b).foldLeft(found(b))((known, op) => after(op, known))
        next <- ways(b)
        both =
          end.foldLeft(found(next)) { case (known, (web, n)) => known.updated(web, known.getOrElse(web, n).min(n)) }
        if both != found(next)
      } yield {
        found(next) = both
        next
      }).distinct
    )
    spread(blocks.indices)
    found.toSeq
  }

  def placed: Seq[Seq[Placed]] = blocks.zip(entries).map { case (block, entry) =>
    block.zip(block.scanLeft(entry)((known, op) => after(op, known))).map { case (op, known) =>
      def wait(bank: Int) = op.reads.map(_.web).filter(_.bank == bank).flatMap(known.get).minOption.getOrElse(most)
      Placed(op, wait(Value.products), wait(Value.sums))
    }
  }
}
