package proofmill.engine.msm

import proofmill.engine.{CommandParser, Granule, Place}
import spinal.core._
import spinal.lib._

/** Processes the commands of the engine in order: writes, runs and cancels.
  *
  * | state  | action                                                                  | next                        |
  * |:-------|:------------------------------------------------------------------------|:----------------------------|
  * | Index  | registers the command's index                                           | Fields                      |
  * | Fields | registers the fields                                                    | Check for a run, else Execute |
  * | Check  | registers whether the fields of a run are valid                         | Execute                     |
  * | Execute | write: reserves the writer, or is refused                              | Data, or Drain              |
  * |        | run: queued when every earlier write has its status; refused, or `full` | Index                       |
  * |        | cancel: marks a run                                                     | Index                       |
  * | Data   | passes the data of a write to the writer                                | Index                       |
  * | Drain  | discards the data of an invalid write                                   | Index                       |
  *
  * Statuses are replied in the order of their commands. That of a write is the memory's response, and the others wait for it. So none of them
  * depends on a run.
  *
  * @param slices of a point in a channel
  */
class MsmCommandPort(plan: WindowPlan, memoryBits: Int, channels: Int, slices: Int) extends Component {
  private val statuses = 16 // that can wait
  val io = new Bundle {

    /** Words of command packets, the packet's number above each. */
    val command = slave(Stream(Fragment(Bits(64 + 2 bits))))

    /** Writer: the address of a granule. */
    val address = master(Stream(Place(memoryBits, channels)))
    val data = master(Stream(Bits(64 bits))) // writer: the granule's words, after its address

    /** Per channel the responses to writes; the payload is high for a write that failed. */
    val responses = Vec.fill(channels)(slave(Stream(Bool())))

    /** Valid runs; not ready: the queue is full. */
    val run = master(Stream(MsmRun(memoryBits)))

    /** The index of a run to cancel. */
    val cancel = master(Flow(Bits(64 bits)))
    val cancelFound = in(Bool()) // in the cycle of `cancel`: there is such a run

    /** Replies that have only a status. */
    val statusReply = master(Stream(StatusReply()))
  }
  val parser = new CommandParser(io.command, fields = 4)
  import parser.{field, index, word}
  private val arriving = MsmCommand()
  arriving.assignFromBits(parser.number)
  val kind = Reg(MsmCommand())

  // Statuses; those of writes are still to come from a channel.
  case class Pending() extends Bundle {
    val reply = StatusReply()
    val channel = UInt(log2Up(channels) bits)
    val waits = Bool()
  }
  val pending = new StreamFifo(Pending(), statuses, withAsyncRead = true, withBypass = false)
  val unanswered = Reg(UInt(log2Up(statuses + 1) bits)) init 0 // writes without a status
  private val oldest = pending.io.pop
  private val response = Vec(io.responses.map(_.valid))(oldest.channel)
  io.statusReply.arbitrationFrom(oldest.haltWhen(oldest.waits && !response))
  io.statusReply.payload := oldest.reply
  when(oldest.waits)(
    io.statusReply.status := Vec(io.responses.map(_.payload))(oldest.channel) ? MsmStatus.memoryFault | MsmStatus.done
  )
  for ((channel, j) <- io.responses.zipWithIndex)
    channel.ready := io.statusReply.fire && oldest.waits && oldest.channel === j
  unanswered := unanswered + io.address.fire.asUInt - (oldest.fire && oldest.waits).asUInt

  // The fields of a write.
  private val target = field.last
  private val writeInvalid =
    target.drop(56).asUInt >= channels || target.take(56).drop(memoryBits).orR || unaligned(target)

  // The fields of a run, and whether all of its points lie in the memory.
  private val Seq(points, scalars, count, windowBits) = field.toSeq
  private val runInvalid = RegNext(Seq(
    unaligned(points),
    unaligned(scalars),
    count.drop(memoryBits - 4).orR,
    beyond(points, slices * Granule.beat),
    beyond(scalars, MsmConfig.scalar),
    windowBits < plan.least,
    windowBits > plan.most
  ).orR)
  private def unaligned(address: UInt): Bool = address.take(log2Up(Granule.bytes)).orR
  private def beyond(address: UInt, bytes: Int): Bool = {
    val end = address.resize(memoryBits + 1) +^ (count.resize(memoryBits - 4) << log2Up(bytes))
    address.drop(memoryBits + 1).orR || end > (BigInt(1) << memoryBits)
  }

  io.command.ready := False
  io.address.valid := False
  io.address.channel := target(56, log2Up(channels) bits)
  io.address.address := target.resized
  io.data.valid := False
  io.data.payload := word
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
  pending.io.push.reply.kind := kind
  pending.io.push.reply.index := index
  pending.io.push.reply.status := MsmStatus.refused
  pending.io.push.channel := io.address.channel
  pending.io.push.waits := False

  object State extends SpinalEnum {
    val Index, Fields, Check, Execute, Data, Drain = newElement()
  }
  val state = RegInit(State.Index)
  switch(state) {
    is(State.Index) {
      kind := arriving
      parser.takeIndex(state := State.Fields)
    }
    is(State.Fields) {
      parser.takeFields(hasData = kind === MsmCommand.write)(
        state := (kind === MsmCommand.run) ? State.Check | State.Execute
      )
    }
    is(State.Check)(state := State.Execute)
    is(State.Execute) {
      switch(kind) {
        is(MsmCommand.write) {
          pending.io.push.valid := writeInvalid || io.address.ready
          pending.io.push.waits := !writeInvalid
          io.address.valid := !writeInvalid && pending.io.push.ready
          when(pending.io.push.fire)(state := writeInvalid ? State.Drain | State.Data)
        }
        is(MsmCommand.run) {
          pending.io.push.valid := runInvalid || !io.run.ready
          when(!runInvalid)(pending.io.push.reply.status := MsmStatus.full)
          io.run.valid := !runInvalid && unanswered === 0
          when(pending.io.push.fire || io.run.fire)(state := State.Index)
        }
        is(MsmCommand.cancel) {
          pending.io.push.valid := True
          pending.io.push.reply.status := io.cancelFound ? MsmStatus.done | MsmStatus.refused
          io.cancel.valid := pending.io.push.ready
          when(pending.io.push.fire)(state := State.Index)
        }
      }
    }
    is(State.Data) {
      io.data.valid := io.command.valid
      io.command.ready := io.data.ready
      when(io.command.fire && io.command.last)(state := State.Index)
    }
    is(State.Drain)(parser.drain(state := State.Index))
  }
}
