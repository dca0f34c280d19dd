package proofmill.pairing

import spinal.core._

/** The slots: two neighbours are read, and two or one written, in a cycle; and one is shown outside. Values are there in the next cycle.
  *
  * Even and odd slots stand in memories of their own, one reader each.
  */
class Slots(width: Int, slotBits: Int) extends Component {
  val io = new Bundle {
    val load = in(Vec.fill(2)(UInt(slotBits bits))) // both
    val store, show = in(UInt(slotBits bits)) // the first one
    val loaded = out(Vec.fill(2)(Bits(width bits)))
    val stored = in(Vec.fill(2)(Bits(width bits)))
    val enable = in(Vec.fill(2)(Bool()))
    val shown = out(Bits(width bits))
  }

  /** Where the even one and the odd one of two neighbours stand. */
  private def places(first: UInt): Seq[UInt] = Seq((first + first.lsb.asUInt) >> 1, first >> 1)
  private def inOrder[T <: Data](swap: Bool, even: T, odd: T): Vec[T] = Vec(swap ? odd | even, swap ? even | odd)

  private val banks = Seq.fill(2, 2)(Mem(Bits(width bits), 1 << (slotBits - 1))) // the reader's, even and odd
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
