package proofmill.engine.msm

import spinal.core._
import spinal.lib._

/** The full flags of the buckets, with several users that look up and change them independently. A user has two candidates: one that waits and one
  * that decides. `take` reads the flag of the next candidate, which waits from then on; with `advance` it decides, its flag in a register. Both
  * follow every change.
  *
  * A bucket is full if an odd number of its bits, one for each user, are set: a user changes a flag by toggling its own bit. So each bit needs one
  * write port, and each user a copy of all bits. User 0 looks up one address in each bank; the others look up one bucket.
  */
class CandidateFlags(bucketBits: Int, others: Int) extends Component {
  private val placeBits = bucketBits - 1
  val io = new Bundle {
    val places = in(Vec(UInt(placeBits bits), 2)) // user 0: the next address in each bank
    val buckets = in(Vec(UInt(bucketBits bits), others)) // the other users: the next bucket
    val take, advance = in(Vec(Bool(), 1 + others)) // pulses: the next candidate waits, the waiting one decides
    val full = out(Vec(Reg(Bool()), 2)) // flags of the deciding candidate of user 0
    val isFull = out(Vec(Reg(Bool()), others)) // those of the others
    val toggle = in(Vec(Bool(), 2)) // pulses: user 0 toggles those flags, only with `advance`
    val toggles = in(Vec(Bool(), others)) // pulses: the others toggle theirs, only with `advance`

    /** Pulse: all buckets become empty. */
    val clear = in(Bool())
    val clearing = out(Bool()) // level: they are being emptied, also after a reset; no lookups and toggles then
  }

  private val clearing = RegInit(True)
  private val swept = Reg(UInt(placeBits bits)) init 0
  when(clearing) {
    swept := swept + 1
    when(swept.andR)(clearing := False)
  }
  when(io.clear)(clearing := True)
  io.clearing := clearing

  /** A user in a bank: the addresses of its next, its waiting and its deciding candidate, and whether it toggles the flag of
    * the last one.
    */
  private case class User(next: UInt, waiting: UInt, deciding: UInt, toggles: Bool, take: Bool, advance: Bool)
  private val waiting = io.buckets.zip(io.take.tail).map { case (bucket, take) => RegNextWhen(bucket, take) }
  private val deciding = waiting.zip(io.advance.tail).map { case (bucket, advance) => RegNextWhen(bucket, advance) }
  private def isIn(bucket: UInt, bank: Int): Bool = Bucket.bank(bucket) === Bool(bank == 1)
  private val users: Seq[Seq[User]] = Seq(0, 1).map { bank =>
    val place = RegNextWhen(io.places(bank), io.take.head)
    val decides = RegNextWhen(place, io.advance.head)
    User(io.places(bank), place, decides, io.toggle(bank), io.take.head, io.advance.head) +:
      io.buckets.indices.map { i =>
        val toggles = io.toggles(i) && RegNextWhen(isIn(waiting(i), bank), io.advance(i + 1))
        val Seq(next, waits, now) = Seq(io.buckets(i), waiting(i), deciding(i)).map(Bucket.place)
        User(next, waits, now, toggles, io.take(i + 1), io.advance(i + 1))
      }
  }

  /** The bits of each user in each bank: a copy for each reader. */
  val bits: Seq[Seq[Seq[Mem[Bool]]]] = Seq.fill(2, 1 + others, 1 + others)(Mem(Bool(), 1 << placeBits))

  /** Returns whether the flag of an address is changed in this cycle. */
  private def changes(bank: Int, place: UInt): Bool =
    users(bank).map(writer => writer.toggles && writer.deciding === place).reduce(_ ^ _)

  /** The flags of the users' waiting candidates in a bank, as they are after this cycle. */
  private def after(bank: Int): Seq[Bool] = {
    val found = for ((writer, w) <- users(bank).zipWithIndex) yield {
      val copies = bits(bank)(w)
      val found = users(bank).zip(copies).map { case (reader, memory) =>
        memory.readSync(reader.next, readUnderWrite = readFirst) ^
          RegNext(writer.toggles && writer.deciding === reader.next)
      }
      // Its own bit, which only its own deciding candidate changes.
      val held = Bool()
      val next = held ^ (writer.toggles && writer.deciding === writer.waiting)
      held := (RegNext(!writer.take) init False) ? RegNext(next) | found(w)
      val own = RegNextWhen(next, writer.advance)
      for (memory <- copies)
        memory.write(clearing ? swept | writer.deciding, !clearing && !own, clearing || writer.toggles)
      found
    }
    for ((reader, r) <- users(bank).zipWithIndex) yield {
      val held = Bool()
      val next = held ^ changes(bank, reader.waiting)
      held := (RegNext(!reader.take) init False) ? RegNext(next) | found.map(_(r)).reduce(_ ^ _)
      next
    }
  }
  private val flags = Seq(0, 1).map(after)
  for (bank <- 0 until 2)
    io.full(bank) := io.advance.head ? flags(bank).head | (io.full(bank) ^ changes(bank, users(bank).head.deciding))
  for (i <- 0 until others) {
    val isHigh = Bucket.bank(waiting(i))
    val decidesHigh = RegNextWhen(isHigh, io.advance(i + 1))
    val changed = Seq(0, 1).map(bank => changes(bank, users(bank)(i + 1).deciding))
    io.isFull(i) := io.advance(i + 1) ?
      (isHigh ? flags(1)(i + 1) | flags(0)(i + 1)) | (io.isFull(i) ^ (decidesHigh ? changed(1) | changed(0)))
  }
}
