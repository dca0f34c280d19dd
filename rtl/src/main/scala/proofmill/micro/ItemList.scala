package proofmill.micro

import spinal.core._

/** A list of items for a job's program, written while the job is in flight.
  *
  * @param items maximum number of items of a job
  * @param magnitudes exclusive upper bound of an item's magnitude, which indexes an array or a table in ROM
  * @param counts exclusive upper bound of an item's count; 1: items have no counts
  */
case class ItemList(name: String, items: Int, magnitudes: Int, counts: Int = 1) {
  require(items >= 1 && magnitudes >= 1 && counts >= 1, s"$name: a list of nothing")
}

/** A signed index with a count: the element `magnitude`, negated if `minus`, then `count` rounds. */
case class Item(list: ItemList) extends Bundle {
  val magnitude = UInt(log2Up(list.magnitudes) bits)
  val minus = Bool()
  val count = UInt(log2Up(list.counts) bits)
}

/** A write of an item to a job's list. Items are taken from the highest occupied position down to position 0. */
case class ItemWrite(contexts: Int, list: ItemList) extends Bundle {
  val context = UInt(log2Up(contexts) bits)
  val place = UInt(log2Up(list.items) bits)
  val item = Item(list)
}

/** Marks all items of a job as written: the number of items in each list, and the flags that its program can test, first one
  * lowest.
  *
  * It is valid in the cycle of the last write at the earliest, and at least one cycle after the job's start.
  */
case class Fed(contexts: Int, lists: Seq[ItemList], feedFlags: Int) extends Bundle {
  val context = UInt(log2Up(contexts) bits)
  val sizes = Vec(lists.map(list => UInt(log2Up(list.items + 1) bits)))
  val flags = Bits(feedFlags bits)
}
