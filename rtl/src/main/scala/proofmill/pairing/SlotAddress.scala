package proofmill.pairing

import spinal.core._

/** The address of a pair of neighbouring slots that a word reads or writes, relative to an operand of its job or to a table
  * entry.
  *
  * The word arrives late in the cycle, since it comes from a memory. This is therefore a module of its own behind the
  * multiplexer of the contexts.
  */
class SlotAddress(slotBits: Int) extends Component {
  private val valueBits = Layout.fields("value").bits
  val io = new Bundle {
    val operands = in(Vec.fill(Layout.operands)(UInt(slotBits bits))) // operands of the word's job
    val entries = in(Vec.fill(Layout.digits)(UInt(slotBits bits))) // first slots of the entries that its digits select
    val base = in(UInt(Layout.fields("base").bits bits)) // fields of the word
    val value = in(UInt(valueBits bits)) // field of the word
    val isEntry = in(Bool()) // the word reads a table entry
    val slots = out(Vec.fill(2)(UInt(slotBits bits))) // in the same cycle
  }
  import io.{isEntry, value}
  private val entry = io.entries((value >> Layout.slotOfEntryBits).resize(log2Up(Layout.digits)))
  private val from = isEntry ? entry | io.operands(io.base)
  private val offset = (value >> Layout.slotOfEntryBits).andMask(!isEntry) @@ value.resize(Layout.slotOfEntryBits)

  // One addition for each slot, so that only one carry chain is in series; that of the second slot has a carry input.
  io.slots(0) := from + offset.resize(slotBits)
  io.slots(1) := ((from @@ True) + (offset.resize(slotBits) @@ True)).dropLow(1).asUInt
}
