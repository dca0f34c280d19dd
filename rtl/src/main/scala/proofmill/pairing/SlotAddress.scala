package proofmill.pairing

import spinal.core._

/** The slots that a word reads or writes, two neighbours: behind an operand of its job, perhaps in an entry of the table there.
  *
  * The word is late, since it comes from a memory: so this is a module of its own, behind whatever chooses among the contexts.
  */
class SlotAddress(slotBits: Int) extends Component {
  private val valueBits = Layout.fields("value").bits
  val io = new Bundle {
    val operands = in(Vec.fill(Layout.operands)(UInt(slotBits bits))) // of the word's job
    val entries = in(Vec.fill(Layout.digits)(UInt(slotBits bits))) // where those begin that its digits name
    val base = in(UInt(Layout.fields("base").bits bits))
    val value = in(UInt(valueBits bits))
    val isEntry = in(Bool())
    val slots = out(Vec.fill(2)(UInt(slotBits bits)))
  }
  import io.{isEntry, value}
  private val entry = io.entries((value >> Layout.slotOfEntryBits).resize(log2Up(Layout.digits)))
  private val from = isEntry ? entry | io.operands(io.base)
  private val offset = (value >> Layout.slotOfEntryBits).andMask(!isEntry) @@ value.resize(Layout.slotOfEntryBits)

  // One sum each, so that carries run once; the other slot's has a carry of its own.
  io.slots(0) := from + offset.resize(slotBits)
  io.slots(1) := ((from @@ True) + (offset.resize(slotBits) @@ True)).dropLow(1).asUInt
}
