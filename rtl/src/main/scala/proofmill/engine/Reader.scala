package proofmill.engine

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi._

/** A job of a reader: `beats` beats from `address` on, `repeats` times. */
case class ReadJob(memoryBits: Int) extends Bundle {
  val address = UInt(memoryBits bits) // a multiple of a granule; for one beat, of a beat
  val beats = UInt(memoryBits - 5 bits) // at least one
  val repeats = UInt(9 bits) // at least one
}

/** Prefetches from a memory channel into a queue of `depth` beats, in bursts that end at the ends of granules.
  *
  * A burst is requested when the queue has space for all of it (credit), so read data never stall.
  */
class Reader(config: Axi4Config, depth: Int = 256) extends Component {
  private val memoryBits = config.addressWidth
  private val most = Granule.beats
  val io = new Bundle {

    /** A pulse starts a job, only while `idle`. */
    val start = slave(Flow(ReadJob(memoryBits)))
    val stop = in(Bool()) // level: ends the job; outstanding data are discarded, and the queue is emptied
    val memory = master(Axi4ReadOnly(config)) // the channel: bursts of at most a granule; read data are always accepted
    val beats = master(Stream(Bits(config.dataWidth bits))) // the job's beats in order, repeats included

    /** Level: no read is outstanding, and no burst is offered. */
    val idle = out(Bool())
    val fault = out(RegInit(False)) // level: a beat of this job had an error; cleared by the next `start`
  }

  val job = Reg(ReadJob(memoryBits))
  val address = Reg(UInt(memoryBits bits))
  val left = Reg(UInt(memoryBits - 5 bits)) // beats of this repeat
  val working = RegInit(False)
  val asked = Reg(UInt(log2Up(depth + 1) bits)) init 0 // outstanding beats
  val held = Reg(UInt(log2Up(depth + 1) bits)) init 0 // those, and those in the queue

  // One burst is offered at a time.
  val offered = RegInit(False)
  val length = Reg(UInt(log2Up(most + 1) bits))
  private val next = left.min(most).resize(log2Up(most + 1))
  private val offer = working && !io.stop && !offered && held <= depth - most
  when(io.memory.ar.fire)(offered := False)
  when(offer) {
    offered := True
    length := next
    io.memory.ar.addr.setAsReg() := address
    address := address + Granule.bytes
    left := left - next
    when(left === next) {
      address := job.address
      left := job.beats
      job.repeats := job.repeats - 1
      working := job.repeats =/= 1
    }
  }
  io.memory.ar.valid := offered
  io.memory.ar.len := (length - 1).resized
  io.memory.ar.size := log2Up(Granule.beat)
  io.memory.ar.setBurstINCR()

  val queue = StreamFifo(Bits(config.dataWidth bits), depth)
  queue.io.push.valid := io.memory.r.valid && !io.stop
  queue.io.push.payload := io.memory.r.data
  queue.io.flush := io.stop
  io.memory.r.ready := True
  io.beats << queue.io.pop

  private val come = offer ? next | U(0)
  asked := asked + come - io.memory.r.fire.asUInt
  held := held + come - (io.beats.fire ? U(1, 1 bits) | U(0, 1 bits))
  when(io.memory.r.fire && io.memory.r.resp =/= Axi4.resp.OKAY)(io.fault := True)
  io.idle := asked === 0 && !offered

  when(io.stop) {
    working := False
    when(io.idle)(held := 0)
  }
  when(io.start.valid) {
    job := io.start.payload
    address := io.start.address
    left := io.start.beats
    working := True
    io.fault := False
  }
}
