package proofmill.engine.msm

import proofmill.spec.Command
import proofmill.stream.Word
import spinal.core._
import spinal.lib._

/** Formats reply packets: status replies, and results of runs with the sum. All fields after the status of a run are 0 unless
  * it is done.
  *
  * A result has priority over waiting status replies.
  *
  * @param commands in the order of [[MsmCommand]]
  */
class ReplyWriter(points: Points, commands: Seq[Command]) extends Component {
  val io = new Bundle {

    /** Status replies; accepted with the last word of the packet. */
    val statusReply = slave(Stream(StatusReply()))

    /** Results of runs, accepted with the last word of the packet. */
    val result = slave(Stream(MsmOutcome()))
    val sum = in(Bits(points.width bits)) // the sum of `result`; steady until it is accepted

    /** Reply packets. */
    val reply = master(Word.packets)
  }
  private val Seq(write, run, cancel) = commands
  private val digitBits = 8 * points.digitBytes
  private val runWords = (run.replyBytes + 7) / 8

  // A packet that was offered is kept until its last word is taken.
  val number = Reg(UInt(log2Up(runWords) bits)) init 0
  val statusHeld = RegInit(False)
  private val isResult = io.result.valid && !statusHeld
  private val isRun = isResult || io.statusReply.kind === MsmCommand.run
  private val isWrite = io.statusReply.kind === MsmCommand.write

  private val header = isRun ? headerOf(run) | (isWrite ? headerOf(write) | headerOf(cancel))
  private val index = isResult ? io.result.index | io.statusReply.index
  private val status = isResult ? codeOf(io.result.status) | codeOf(io.statusReply.status)
  private val done = isResult && io.result.status === MsmStatus.done
  private val digits = points.digitsOf(io.result.noPoints ? B(points.identity, points.width bits) | io.sum)
  private val sum = Cat(digits.map(_.resize(digitBits).asBits)).resize(64 * (runWords - 6)).subdivideIn(64 bits).toSeq
  private val counts = Seq(io.result.accumulation, io.result.tail, io.result.additions).map(_.asBits)

  private val last = isRun ? (number === runWords - 1) | (number === 2)
  private val word = Vec(Seq(header, index, status.resize(64)) ++ counts ++ sum)(number)
  io.reply.valid := io.result.valid || io.statusReply.valid
  io.reply.last := last
  io.reply.data := (number < 3 || done) ? word | B(0, 64 bits)
  io.reply.keep := last ? (isRun ? keepOf(run) | keepOf(write)) | B(0xff, 8 bits)
  statusHeld := io.statusReply.valid && !isResult && !io.statusReply.ready
  when(io.reply.fire)(number := last ? U(0) | number + 1)
  io.result.ready := io.reply.fire && last && isResult
  io.statusReply.ready := io.reply.fire && last && !isResult
  require(write.replyBytes == 17 && cancel.replyBytes == 17, "a status reply is an index and a status")

  private def headerOf(command: Command) = B(command.reply, 32 bits) ## B(command.replyBytes, 32 bits)
  private def keepOf(command: Command) = B(Word.keepOf(command.replyBytes), 8 bits)
  private def codeOf(status: SpinalEnumCraft[MsmStatus.type]) = status.mux(
    MsmStatus.done -> B(ReplyWriter.code("done"), 8 bits),
    MsmStatus.refused -> B(ReplyWriter.code("refused"), 8 bits),
    MsmStatus.memoryFault -> B(ReplyWriter.code("memory_fault"), 8 bits),
    MsmStatus.cancelled -> B(ReplyWriter.code("cancelled"), 8 bits),
    MsmStatus.full -> B(ReplyWriter.code("full"), 8 bits)
  )
}

object ReplyWriter {
  private def code(name: String) = proofmill.spec.Spec.int(MsmEngine.wire.getTable("status"), name)
}
