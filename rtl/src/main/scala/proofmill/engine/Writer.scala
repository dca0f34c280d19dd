package proofmill.engine

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi._

/** The destination of a granule. */
case class Place(memoryBits: Int, channels: Int) extends Bundle {
  val channel = UInt(log2Up(channels) bits)
  val address = UInt(memoryBits bits) // a multiple of a granule
}

/** Writes granules to the channels, one burst each: accepts a destination, then the words, lowest byte first.
  *
  * The next destination is accepted when the whole burst was sent. Responses are handled outside of this unit.
  */
class Writer(config: Axi4Config, channels: Int) extends Component {
  private val words = Granule.beat / 8
  val io = new Bundle {
    val place = slave(Stream(Place(config.addressWidth, channels))) // the next granule; accepted after the previous one
    val words = slave(Stream(Bits(64 bits))) // the granule's data, first byte lowest; ready after its `place`
    val address = Vec.fill(channels)(master(Stream(Axi4Aw(config)))) // per channel the address of the granule's burst
    val data = Vec.fill(channels)(master(Stream(Axi4W(config)))) // per channel the beats of that burst, all bytes on
  }

  val place = Reg(Place(config.addressWidth, channels))
  val addressing, writing = RegInit(False) // address not accepted yet; data missing
  io.place.ready := !addressing && !writing
  when(io.place.fire) {
    place := io.place.payload
    addressing := True
    writing := True
  }

  // Words are shifted in from the top; the last one completes the beat.
  val beat = Reg(Bits(config.dataWidth bits))
  val whole = RegInit(False)
  val word = Counter(words, io.words.fire)
  val number = Reg(UInt(log2Up(Granule.beats) bits)) init 0
  private val taken = io.data.map(_.fire).orR
  io.words.ready := writing && (!whole || taken)
  when(taken)(whole := False)
  when(io.words.fire) {
    beat := io.words.payload ## beat.dropLow(64)
    when(word.willOverflow)(whole := True)
  }
  when(taken) {
    number := number + 1
    when(number.andR)(writing := False)
  }
  when(io.address.map(_.fire).orR)(addressing := False)

  for (j <- 0 until channels) {
    val here = if (channels == 1) True else place.channel === j
    io.address(j).valid := addressing && here
    io.address(j).addr := place.address
    io.address(j).len := Granule.beats - 1
    io.address(j).size := log2Up(Granule.beat)
    io.address(j).setBurstINCR()
    io.data(j).valid := whole && here
    io.data(j).data := beat
    io.data(j).strb.setAll()
    io.data(j).last := number.andR
  }
}
