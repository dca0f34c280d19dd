package proofmill.formal

import proofmill.shell.SerialFramer
import spinal.core._

/** Bytes of a line become packets by their length, and an idle line always resynchronises the framer.
  *
  * The specification counts a packet's bytes and stores its length. A packet ends with the byte at its length, or when the
  * line is idle; after either, the framer is in the state after a reset, whatever was before.
  */
class SerialFramerProof(longest: Int) extends Component with Proof {
  val dut = SerialFramer(longest)
  val valid = freeInput(dut.byte.valid)
  val payload = freeInput(dut.byte.payload)
  val broken = freeInput(dut.broken)
  val quiet = freeInput(dut.quiet)
  val packets = freeSink(dut.packets)
  assume(!(valid && broken))

  // The packet up to now.
  val count = Reg(UInt(log2Up(longest + 2) bits)) init 0 // bytes before this one
  val length = Reg(Bits(32 bits)) init 0
  val hurt = RegInit(False) // by damage, a lost word included
  val begun = RegInit(False)
  val ends = packets.fire && packets.last
  val lost = packets.valid && !packets.ready && valid
  when(valid && !hurt) {
    count := count + 1
    for (i <- 0 until 4) when(count === i)(length(8 * i, 8 bits) := payload)
    when(count === 7 && (length.asUInt < 8 || length.asUInt > longest))(hurt := True)
  }
  when(valid || broken)(begun := True)
  when(broken || lost)(hurt := True)
  when(ends) {
    count := 0
    hurt := False
    begun := False
  }

  // Synchronisation: the framer's state equals the specification's.
  assert(dut.inside.pull() === begun, "inside exactly behind a packet's first byte")
  assert(dut.damaged.pull() === hurt, "damage is seen")
  assert(
    begun || (dut.first.pull() && dut.held.pull() === 0 && count === 0 && !hurt),
    "between packets as after a reset"
  )
  assert(hurt || dut.first.pull() === (count < 8), "the header is the first eight bytes")
  assert(hurt || dut.held.pull() === count.resize(3 bits), "no byte of a word is missing")
  assert(hurt || count < 8 || dut.left.pull() === (length.asUInt - count).resized, "what is still to come")
  assert(hurt || count < 8 || (length.asUInt > count && length.asUInt <= longest), "not beyond its end")

  // Ends.
  val byLength = valid && !hurt && count >= 7 && length.asUInt === count + 1
  assert(!packets.fire || packets.last === (byLength || !valid), "the last word is the length's, or quiet's")
  assert(!(quiet && begun && !valid && !broken) || (packets.valid && packets.last), "quiet ends what has begun")
  assert(!packets.valid || valid || (quiet && begun), "nothing else makes a word")
}
