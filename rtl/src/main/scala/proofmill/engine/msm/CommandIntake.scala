package proofmill.engine.msm

import proofmill.engine.{Granule, Place}
import spinal.core._
import spinal.lib._

/** Takes commands in their order: passes writes to the writer, good runs to the queue, and answers writes and cancels in that order too.
  *
  *   1. Index: the command's first word.
  *   2. Fields: the words up to the data of a write, or up to the end.
  *   3. Check: what a run's fields say goes into a register.
  *   4. Act: a write takes its place at the writer, or is refused; a run waits until every write has been answered, then goes to the queue, or
  *      is refused, or finds no room there; a cancel marks its run. A command that is answered by a status waits for room among those.
  *   5. Data, Drop: the data of a write, which go to the writer or nowhere.
  *
  * A write's status is the memory's response; the others wait behind it. So whatever is waited for ends without the runs.
  */
class CommandIntake(cutting: Cutting, memoryBits: Int, channels: Int) extends Component {
  private val fields = 4 // the most of them
  private val waiting = 16 // statuses
  val io = new Bundle {
    val command = slave(Stream(Fragment(Bits(64 + 2 bits))))
    val place = master(Stream(Place(memoryBits, channels)))
    val words = master(Stream(Bits(64 bits)))
    val responses = Vec.fill(channels)(slave(Stream(Bool()))) // whether a write failed
    val run = master(Stream(Run(memoryBits))) // not ready: there is no room
    val cancel = master(Flow(Bits(64 bits))) // index of a run
    val cancels = in(Bool()) // there is such a run; in the same cycle
    val notice = master(Stream(Notice()))
  }
  private val word = io.command.fragment.takeLow(64)
  private val arriving = Kind()
  arriving.assignFromBits(io.command.fragment.dropLow(64))

  val kind = Reg(Kind())
  val index = Reg(Bits(64 bits))
  val field = Vec.fill(fields)(Reg(UInt(64 bits))) // the last one on top

  // Statuses, those of writes yet to come from a channel.
  case class Pending() extends Bundle {
    val notice = Notice()
    val channel = UInt(log2Up(channels) bits)
    val waits = Bool()
  }
  val pending = new StreamFifo(Pending(), waiting, withAsyncRead = true, withBypass = false)
  val unanswered = Reg(UInt(log2Up(waiting + 1) bits)) init 0 // writes
  private val oldest = pending.io.pop
  private val response = Vec(io.responses.map(_.valid))(oldest.channel)
  io.notice.arbitrationFrom(oldest.haltWhen(oldest.waits && !response))
  io.notice.payload := oldest.notice
  when(oldest.waits)(
    io.notice.status := Vec(io.responses.map(_.payload))(oldest.channel) ? Status.memoryFault | Status.done
  )
  for ((channel, j) <- io.responses.zipWithIndex)
    channel.ready := io.notice.fire && oldest.waits && oldest.channel === j
  unanswered := unanswered + io.place.fire.asUInt - (oldest.fire && oldest.waits).asUInt

  // What a write's fields say.
  private val where = field.last
  private val writeBad = where.drop(56).asUInt >= channels || where.take(56).drop(memoryBits).orR || unaligned(where)

  // What a run's fields say, and whether all of its points lie in the memory.
  private val Seq(points, scalars, count, windowBits) = field.toSeq
  private val runBad = RegNext(Seq(
    unaligned(points),
    unaligned(scalars),
    count.drop(memoryBits - 4).orR,
    beyond(points, Granule.beat),
    beyond(scalars, MsmConfig.scalar),
    windowBits < cutting.least,
    windowBits > cutting.most
  ).orR)
  private def unaligned(address: UInt): Bool = address.take(log2Up(Granule.bytes)).orR
  private def beyond(address: UInt, bytes: Int): Bool = {
    val end = address.resize(memoryBits + 1) +^ (count.resize(memoryBits - 4) << log2Up(bytes))
    address.drop(memoryBits + 1).orR || end > (BigInt(1) << memoryBits)
  }

  io.command.ready := False
  io.place.valid := False
  io.place.channel := where(56, log2Up(channels) bits)
  io.place.address := where.resized
  io.words.valid := False
  io.words.payload := word
  io.run.valid := False
  io.run.index := index
  for (
    (to, from) <-
      Seq(io.run.points -> points, io.run.scalars -> scalars, io.run.count -> count, io.run.windowBits -> windowBits)
  )
    to := from.resized
  io.cancel.valid := False
  io.cancel.payload := field.last.asBits
  pending.io.push.valid := False
  pending.io.push.notice.kind := kind
  pending.io.push.notice.index := index
  pending.io.push.notice.status := Status.refused
  pending.io.push.channel := io.place.channel
  pending.io.push.waits := False

  object State extends SpinalEnum {
    val Index, Fields, Check, Act, Data, Drop = newElement()
  }
  val state = RegInit(State.Index)
  switch(state) {
    is(State.Index) {
      io.command.ready := True
      kind := arriving
      index := word
      when(io.command.valid)(state := State.Fields)
    }
    is(State.Fields) {
      io.command.ready := True
      when(io.command.valid) {
        for ((now, above) <- field.zip(field.tail :+ word.asUInt)) now := above
        when(io.command.last || kind === Kind.write)(state := (kind === Kind.run) ? State.Check | State.Act)
      }
    }
    is(State.Check)(state := State.Act)
    is(State.Act) {
      switch(kind) {
        is(Kind.write) {
          pending.io.push.valid := writeBad || io.place.ready
          pending.io.push.waits := !writeBad
          io.place.valid := !writeBad && pending.io.push.ready
          when(pending.io.push.fire)(state := writeBad ? State.Drop | State.Data)
        }
        is(Kind.run) {
          pending.io.push.valid := runBad || !io.run.ready
          when(!runBad)(pending.io.push.notice.status := Status.full)
          io.run.valid := !runBad && unanswered === 0
          when(pending.io.push.fire || io.run.fire)(state := State.Index)
        }
        is(Kind.cancel) {
          pending.io.push.valid := True
          pending.io.push.notice.status := io.cancels ? Status.done | Status.refused
          io.cancel.valid := pending.io.push.ready
          when(pending.io.push.fire)(state := State.Index)
        }
      }
    }
    is(State.Data) {
      io.words.valid := io.command.valid
      io.command.ready := io.words.ready
      when(io.command.fire && io.command.last)(state := State.Index)
    }
    is(State.Drop) {
      io.command.ready := True
      when(io.command.fire && io.command.last)(state := State.Index)
    }
  }
}
