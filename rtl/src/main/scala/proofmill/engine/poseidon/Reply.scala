package proofmill.engine.poseidon

import proofmill.spec.{Command, Spec}
import proofmill.stream.Word
import spinal.core._
import spinal.lib._

/** Which command: a hash by the standard instance, one of the memory, or a hash by the strengthened instance. */
object Kind extends SpinalEnum(binarySequential) {
  val hash, write, layer, read, strengthened = newElement()
}

/** What became of a command: a number of `[status]`. */
object Status extends SpinalEnum(binarySequential) {
  val done, refused, invalid, memoryFault = newElement()

  def code(status: SpinalEnumCraft[Status.type]): Bits = {
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

/** What a reply says, but for the data of a read. */
case class Outcome() extends Bundle {
  val kind = Kind()
  val index = Bits(64 bits)
  val status = Status()
  val element = UInt(32 bits)
  val digest = Bits(PoseidonEntry.bits bits)
}

/** Makes reply packets. The data of a read that is done are taken from `data`.
  *
  * @param commands in the order of [[Kind]]
  */
class Reply(commands: Seq[Command]) extends Component {
  val io = new Bundle {
    val outcome = slave(Stream(Outcome()))
    val data = slave(Stream(Bits(64 bits)))
    val reply = master(Word.packets)
  }
  private val fixed = 3 // words before digest or data
  private val words = commands.map(_.replyBytes / 8)
  private val told = io.outcome.payload
  val word = Reg(UInt(log2Up(words.max) bits)) init 0

  private def byKind[T <: Data](values: Seq[T]): T = Vec(values)(told.kind.asBits.asUInt)
  private val header = byKind(commands.map(c => B(c.reply, 32 bits) ## B(c.replyBytes, 32 bits)))
  private val behind = word >= fixed
  private val isRead = told.kind === Kind.read
  private val takes = behind && isRead && told.status === Status.done
  private val digest = told.digest.subdivideIn(64 bits)((word - fixed).resize(2 bits))
  private val front = {
    val words = Seq(header, told.index, told.element.asBits ## Status.code(told.status))
    Vec(words.padTo(4, header))(word.resize(2 bits))
  }

  io.reply.valid := io.outcome.valid && (!takes || io.data.valid)
  io.reply.last := word === byKind(words.map(n => U(n - 1, word.getWidth bits)))
  io.reply.keep.setAll()
  io.reply.data := !behind ? front | (!isRead ? digest | (takes ? io.data.payload | B(0, 64 bits)))
  io.data.ready := io.outcome.valid && takes && io.reply.ready
  io.outcome.ready := io.reply.fire && io.reply.last
  when(io.reply.fire)(word := io.reply.last ? U(0) | word + 1)
}
