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
    val entries = in(Vec.fill(Layout.digits)(UInt(Layout.entryBits bits))) // that its digits name
    val base = in(UInt(Layout.fields("base").bits bits))
    val value = in(UInt(valueBits bits))
    val isEntry = in(Bool())
    val slots = out(Vec.fill(2)(UInt(slotBits bits)))
  }
  import io.{isEntry, value}
  private val entry = io.entries((value >> Layout.slotOfEntryBits).resize(log2Up(Layout.digits)))

  // One sum each, so that carries run once.
  private val ofEntry = entry.resize(slotBits).andMask(isEntry)
  private val offset = (value >> Layout.slotOfEntryBits).andMask(!isEntry) @@ value.resize(Layout.slotOfEntryBits)
  io.slots := Vec((0 until 2).map(io.operands(io.base) + ofEntry + offset.resize(slotBits) + _))
}
