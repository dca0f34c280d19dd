package proofmill.micro

import spinal.core._

/** A list that a job's program takes its items from, written while the job is under way.
  *
  * @param items the most that a job has
  * @param magnitudes an item's magnitude is below; it names an element of an array or of a table in ROM
  * @param counts an item's count is below; 1: items have none
  */
case class ItemList(name: String, items: Int, magnitudes: Int, counts: Int = 1) {
  require(items >= 1 && magnitudes >= 1 && counts >= 1, s"$name: a list of nothing")
}

/** A signed index with a count: "the element `magnitude`, negated if `minus`, then `count` rounds". */
case class Item(list: ItemList) extends Bundle {
  val magnitude = UInt(log2Up(list.magnitudes) bits)
  val minus = Bool()
  val count = UInt(log2Up(list.counts) bits)
}

/** An item on its way into a job's list; items are taken from the highest place that has one down to place 0. */
case class ItemWrite(contexts: Int, list: ItemList) extends Bundle {
  val context = UInt(log2Up(contexts) bits)
  val place = UInt(log2Up(list.items) bits)
  val item = Item(list)
}

/** All items of a job are written: how many of each list, and the flags that its program may ask for, first one lowest.
  *
  * It may come in the cycle of the last write, and not before the cycle after the one in which the job has begun.
  */
case class Fed(contexts: Int, lists: Seq[ItemList], feedFlags: Int) extends Bundle {
  val context = UInt(log2Up(contexts) bits)
  val sizes = Vec(lists.map(list => UInt(log2Up(list.items + 1) bits)))
  val flags = Bits(feedFlags bits)
}
