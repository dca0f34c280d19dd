package proofmill.engine.poseidon

import proofmill.spec.{Command, Spec}
import proofmill.stream.Word
import spinal.core._
import spinal.lib._

/** Commands: a hash by the standard instance, three of the memory, and a hash by the strengthened instance. */
object HashCommand extends SpinalEnum(binarySequential) {
  val hash, write, layer, read, strengthened = newElement()
}

/** `status` of a reply. */
object HashStatus extends SpinalEnum(binarySequential) {
  val done, refused, invalid, memoryFault = newElement()

  def code(status: SpinalEnumCraft[HashStatus.type]): Bits = {
    val table = Spec.table("wire/poseidon").getTable("status")
    def of(name: String) = B(Spec.int(table, name), 32 bits)
    status.mux(
      done -> of("done"),
      refused -> of("refused"),
      invalid -> of("invalid"),
      memoryFault -> of("memory_fault")
    )
  }
}

/** The contents of a reply, without the data of a read. */
case class HashOutcome() extends Bundle {
  val kind = HashCommand()
  val index = Bits(64 bits)
  val status = HashStatus()
  val element = UInt(32 bits)
  val digest = Bits(PoseidonEntry.bits bits)
}

/** Formats reply packets.
  *
  * @param commands in the order of [[Kind]]
  */
class HashReplyWriter(commands: Seq[Command]) extends Component {
  val io = new Bundle {

    /** Contents of replies, accepted with the last word. */
    val outcome = slave(Stream(HashOutcome()))

    /** The data of a read that is done, as words. */
    val data = slave(Stream(Bits(64 bits)))

    /** Reply packets. */
    val reply = master(Word.packets)
  }
  private val fixed = 3 // words before digest or data
  private val words = commands.map(_.replyBytes / 8)
  private val outcome = io.outcome.payload
  val word = Reg(UInt(log2Up(words.max) bits)) init 0

  private def byKind[T <: Data](values: Seq[T]): T = Vec(values)(outcome.kind.asBits.asUInt)
  private val header = byKind(commands.map(c => B(c.reply, 32 bits) ## B(c.replyBytes, 32 bits)))
  private val inBody = word >= fixed
  private val isRead = outcome.kind === HashCommand.read
  private val takes = inBody && isRead && outcome.status === HashStatus.done
  private val digest = outcome.digest.subdivideIn(64 bits)((word - fixed).resize(2 bits))
  private val head = {
    val words = Seq(header, outcome.index, outcome.element.asBits ## HashStatus.code(outcome.status))
    Vec(words.padTo(4, header))(word.resize(2 bits))
  }

  io.reply.valid := io.outcome.valid && (!takes || io.data.valid)
  io.reply.last := word === byKind(words.map(n => U(n - 1, word.getWidth bits)))
  io.reply.keep.setAll()
  io.reply.data := !inBody ? head | (!isRead ? digest | (takes ? io.data.payload | B(0, 64 bits)))
  io.data.ready := io.outcome.valid && takes && io.reply.ready
  io.outcome.ready := io.reply.fire && io.reply.last
  when(io.reply.fire)(word := io.reply.last ? U(0) | word + 1)
}
