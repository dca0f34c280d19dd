package proofmill.engine.msm

import proofmill.spec.Command
import proofmill.stream.Word
import spinal.core._
import spinal.lib._

/** Makes reply packets: of notices, and of outcomes with the sum that is steady meanwhile; unless a run is done, all behind its status is 0.
  *
  * An outcome goes before the notices that wait.
  *
  * @param commands in the order of [[Kind]]
  */
class Answer(points: Points, commands: Seq[Command]) extends Component {
  val io = new Bundle {
    val notice = slave(Stream(Notice()))
    val outcome = slave(Stream(Outcome()))
    val sum = in(Bits(points.width bits))
    val reply = master(Word.packets)
  }
  private val Seq(write, run, cancel) = commands
  private val digitBits = 8 * points.digitBytes
  private val runWords = (run.replyBytes + 7) / 8

  // A notice that has been offered stays until its last word has gone, as an outcome does that nothing goes before.
  val number = Reg(UInt(log2Up(runWords) bits)) init 0
  val noticeHeld = RegInit(False)
  private val isOutcome = io.outcome.valid && !noticeHeld
  private val isRun = isOutcome || io.notice.kind === Kind.run
  private val isWrite = io.notice.kind === Kind.write

  private val header = isRun ? headerOf(run) | (isWrite ? headerOf(write) | headerOf(cancel))
  private val index = isOutcome ? io.outcome.index | io.notice.index
  private val status = isOutcome ? codeOf(io.outcome.status) | codeOf(io.notice.status)
  private val done = isOutcome && io.outcome.status === Status.done
  private val digits = points.digitsOf(io.outcome.none ? B(points.identity, points.width bits) | io.sum)
  private val sum = Cat(digits.map(_.resize(digitBits).asBits)).resize(64 * (runWords - 6)).subdivideIn(64 bits).toSeq
  private val counts = Seq(io.outcome.accumulation, io.outcome.tail, io.outcome.additions).map(_.asBits)

  private val last = isRun ? (number === runWords - 1) | (number === 2)
  private val word = Vec(Seq(header, index, status.resize(64)) ++ counts ++ sum)(number)
  io.reply.valid := io.outcome.valid || io.notice.valid
  io.reply.last := last
  io.reply.data := (number < 3 || done) ? word | B(0, 64 bits)
  io.reply.keep := last ? (isRun ? keepOf(run) | keepOf(write)) | B(0xff, 8 bits)
  noticeHeld := io.notice.valid && !isOutcome && !io.notice.ready
  when(io.reply.fire)(number := last ? U(0) | number + 1)
  io.outcome.ready := io.reply.fire && last && isOutcome
  io.notice.ready := io.reply.fire && last && !isOutcome
  require(write.replyBytes == 17 && cancel.replyBytes == 17, "a notice is an index and a status")

  private def headerOf(command: Command) = B(command.reply, 32 bits) ## B(command.replyBytes, 32 bits)
  private def keepOf(command: Command) = B(Word.keepOf(command.replyBytes), 8 bits)
  private def codeOf(status: SpinalEnumCraft[Status.type]) = status.mux(
    Status.done -> B(Answer.code("done"), 8 bits),
    Status.refused -> B(Answer.code("refused"), 8 bits),
    Status.memoryFault -> B(Answer.code("memory_fault"), 8 bits),
    Status.cancelled -> B(Answer.code("cancelled"), 8 bits),
    Status.full -> B(Answer.code("full"), 8 bits)
  )
}

object Answer {
  private def code(name: String) = proofmill.spec.Spec.int(MsmEngine.wire.getTable("status"), name)
}
