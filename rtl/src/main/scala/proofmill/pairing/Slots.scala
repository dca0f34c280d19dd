package proofmill.pairing

import spinal.core._

/** The slot memory: in each cycle it reads two neighbouring slots, writes one or two, and reads one for the host. Values are
  * valid in the next cycle.
  *
  * Even and odd slots are in separate memories, one for each reader.
  */
class Slots(width: Int, slotBits: Int) extends Component {
  val io = new Bundle {
    val load = in(Vec.fill(2)(UInt(slotBits bits))) // addresses of both slots
    val store, show = in(UInt(slotBits bits)) // address of the first slot
    val loaded = out(Vec.fill(2)(Bits(width bits))) // their residues, one cycle after `load`
    val stored = in(Vec.fill(2)(Bits(width bits))) // residues to write
    val enable = in(Vec.fill(2)(Bool())) // whether each of them is written
    val shown = out(Bits(width bits)) // the residue, one cycle after `show`
  }

  /** Returns the addresses of the even and the odd slot of two neighbours. */
  private def places(first: UInt): Seq[UInt] = Seq((first + first.lsb.asUInt) >> 1, first >> 1)
  private def inOrder[T <: Data](swap: Bool, even: T, odd: T): Vec[T] = Vec(swap ? odd | even, swap ? even | odd)

  private val banks = Seq.fill(2, 2)(Mem(Bits(width bits), 1 << (slotBits - 1))) // for each reader, even and odd slots
  private val data = inOrder(io.store.lsb, io.stored(0), io.stored(1))
  private val enable = inOrder(io.store.lsb, io.enable(0), io.enable(1))
  for (bank <- banks; ((memory, place), i) <- bank.zip(places(io.store)).zipWithIndex)
    memory.write(place, data(i), enable(i))

  private def read(bank: Seq[Mem[Bits]], first: UInt, places: Seq[UInt]) = {
    val Seq(even, odd) = bank.zip(places).map { case (memory, place) => memory.readSync(place) }
    inOrder(RegNext(first.lsb), even, odd)
  }
  io.loaded := read(banks(0), io.load(0), Seq(io.load(1) >> 1, io.load(0) >> 1))
  io.shown := read(banks(1), io.show, places(io.show))(0)
}
