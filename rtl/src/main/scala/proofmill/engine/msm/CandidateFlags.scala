package proofmill.engine.msm

import spinal.core._
import spinal.lib._

/** The full flags of the buckets, with several users that look up and change them independently. A user has one candidate at a time; it looks up the
  * flag of the next one in the cycle in which it advances, and the result follows every change until the next advance.
  *
  * A bucket is full if an odd number of its bits, one for each user, are set: a user changes a flag by toggling its own bit. So each bit needs one
  * write port, and each user a copy of all bits. User 0 looks up one address in each bank; the others look up one bucket.
  */
class CandidateFlags(bucketBits: Int, others: Int) extends Component {
  private val placeBits = bucketBits - 1
  val io = new Bundle {
    val places = in(Vec(UInt(placeBits bits), 2)) // user 0: the next address in each bank
    val buckets = in(Vec(UInt(bucketBits bits), others)) // the other users: the next bucket
    val advance = in(Vec(Bool(), 1 + others)) // pulses: the next candidates replace the present ones
    val full = out(Vec(Bool(), 2)) // flags at the present addresses of user 0
    val isFull = out(Vec(Bool(), others)) // flags of the present buckets
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

  // The next and the present address of each user in a bank, and whether it toggles there.
  private case class User(next: UInt, place: UInt, toggles: Bool, advance: Bool)
  private val buckets = io.buckets.zip(io.advance.tail).map { case (bucket, advance) => RegNextWhen(bucket, advance) }
  private def usersOf(bank: Int): Seq[User] = {
    def user(next: UInt, toggles: Bool, advance: Bool) = User(next, RegNextWhen(next, advance), toggles, advance)
    user(io.places(bank), io.toggle(bank), io.advance.head) +: io.buckets.indices.map { i =>
      val here = Bucket.bank(buckets(i)) === Bool(bank == 1)
      user(Bucket.place(io.buckets(i)), io.toggles(i) && here, io.advance(i + 1))
    }
  }

  /** The flags of the users' present addresses in a bank. */
  private def flagsOf(bank: Int): Seq[Bool] = {
    val users = usersOf(bank)
    val bits = for ((writer, w) <- users.zipWithIndex) yield {
      val copies = users.map(reader => reader -> Mem(Bool(), 1 << placeBits))
      val found = copies.map { case (reader, memory) =>
        memory.readSync(reader.next, readUnderWrite = readFirst) ^ RegNext(writer.toggles && writer.place === reader.next)
      }
      val own = held(found(w), writer, False)
      for ((_, memory) <- copies)
        memory.write(clearing ? swept | writer.place, !clearing && !own, clearing || writer.toggles)
      found
    }
    for ((reader, r) <- users.zipWithIndex) yield {
      val changes = for ((writer, w) <- users.zipWithIndex; if w != r)
        yield writer.toggles && writer.place === reader.place
      held(bits.map(_(r)).reduce(_ ^ _), reader, changes.reduce(_ ^ _))
    }
  }

  /** Holds the result of a lookup until the user advances. */
  private def held(found: Bool, user: User, changes: Bool): Bool = {
    val now = Bool()
    now := (RegNext(!user.advance) init False) ? RegNext(now ^ changes) | found
    now
  }

  private val Seq(low, high) = Seq(0, 1).map(flagsOf)
  io.full := Vec(low.head, high.head)
  for (i <- 0 until others) io.isFull(i) := Bucket.bank(buckets(i)) ? high(i + 1) | low(i + 1)
}
