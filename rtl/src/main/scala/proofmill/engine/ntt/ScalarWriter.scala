package proofmill.engine.ntt

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi._

/** Writes results as consecutive scalars into one channel of the MSM engine's memory. The beats of a store follow each other,
  * each as a burst of its own.
  */
class ScalarWriter(config: NttConfig, axi: Axi4Config) extends Component {
  import config.channels
  val io = new Bundle {
    val store = slave(Stream(Store(config))) // stores of the channels' beats
    val first = in(UInt(axi.addressWidth - log2Up(NttConfig.beat) bits)) // the beat address of store 0; steady
    val address = master(Stream(Axi4Aw(axi))) // address of each beat
    val data = master(Stream(Axi4W(axi))) // data of each beat
    val response = slave(Stream(Axi4B(axi))) // responses
    val stored = out(Bool()) // pulse: all beats of a store are written
    val fault = out(Bool()) // pulse: the write of a beat failed
  }

  // The beats of a store.
  val part = Counter(channels)
  private val beats = Stream(NoData())
  beats.valid := io.store.valid
  io.store.ready := beats.ready && part.willOverflowIfInc
  when(beats.fire)(part.increment())
  private val Seq(addresses, words) = StreamFork(beats, 2).toSeq
  private val place = io.first + (io.store.beat @@ part.value).resize(io.first.getWidth)
  io.address << addresses
    .translateWith {
      val address = Axi4Aw(axi)
      address.addr := place @@ U(0, log2Up(NttConfig.beat) bits)
      address.len := 0
      address.size := log2Up(NttConfig.beat)
      address.setBurstINCR()
      address
    }
    .queueLowLatency(4, latency = 1)
  io.data << words
    .translateWith {
      val data = Axi4W(axi)
      data.data := io.store.data.subdivideIn(channels slices)(part.value)
      data.strb.setAll()
      data.last := True
      data
    }
    .queueLowLatency(4, latency = 1)

  // Their responses.
  val done = Counter(channels)
  io.response.ready := True
  when(io.response.fire)(done.increment())
  io.stored := io.response.fire && done.willOverflowIfInc
  io.fault := io.response.fire && io.response.resp =/= Axi4.resp.OKAY
}
