package proofmill.engine.poseidon

import proofmill.engine.{Engine, Granule, Reader, Writer}
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi._

/** Carries out the commands of the memory, one after the other: writes to it, reads of it, and layers of trees.
  *
  *   1. Index: the command's first word.
  *   2. Fields: the words up to the data of a write, or up to the end.
  *   3. Size, Check: what the fields say. A command that is not possible is answered; the data of such a write are dropped.
  *   4. Write, Layer, Read: the data go to the writer; nodes become states, and their digests go to the writer; the reader gets a granule.
  *      Ends when the memory has answered everything.
  *   5. Answer: the outcome.
  *   6. Flush: the data of a read that is done leave; what the reader has left of a layer's last beat, or of a read that met an error, is
  *      dropped.
  *
  * While it is busy, nobody else hashes: `states` are commands as [[RowIntake]] takes them, and `answers` theirs, in their order.
  */
class Layers(config: PoseidonConfig) extends Component {
  import config.memoryBits
  private val axi = Engine.memory(memoryBits)
  private val nodeBytes = PoseidonEntry.bits / 8
  private val nodeWords = nodeBytes / 8
  private val countBits = memoryBits - log2Up(nodeBytes) + 1
  val io = new Bundle {
    val kind = in(Kind())
    val command = slave(Stream(Fragment(Bits(64 bits))))
    val busy = out(Bool())
    val states = master(Stream(Fragment(Bits(64 + config.kindBits bits))))
    val answers = slave(Stream(Outcome()))
    val outcome = master(Stream(Outcome()))
    val data = master(Stream(Bits(64 bits)))
    val memory = master(Axi4(axi))
  }

  val kind = Reg(Kind())
  val index = Reg(Bits(64 bits))
  val field = Vec.fill(8)(Reg(UInt(64 bits))) // the last one on top
  private val Seq(from, to, count, arity) = field.take(4).toSeq
  private val address = field.last
  private val tag = field.drop(4).map(_.asBits)

  val reader = new Reader(axi)
  val writer = new Writer(axi, channels = 1)
  io.memory.ar << reader.io.memory.ar
  reader.io.memory.r << io.memory.r
  // A beat has eight words: whoever makes them does not wait for the memory in the same cycle.
  io.memory.aw << writer.io.address.head.halfPipe()
  io.memory.w << writer.io.data.head.halfPipe()

  /** What the fields say, in two cycles. */
  val code = Reg(UInt(config.codeBits bits))
  val known = Reg(Bool()) // the arity
  val nodes = Reg(UInt(countBits + 4 bits))
  val impossible = Reg(Bool())
  private val arities = config.widths.map(_ - 1)
  private def unaligned(place: UInt) = place.take(log2Up(Granule.bytes)).orR
  private def outside(place: UInt) = place.drop(memoryBits).orR
  private def beyond(place: UInt, nodes: UInt) =
    place.resize(memoryBits) +^ (nodes << log2Up(nodeBytes)) > (BigInt(1) << memoryBits)
  private def isLayer = kind === Kind.layer
  private def size(): Unit = {
    code := OHToUInt(arities.map(arity === _)).resized
    known := arities.map(arity === _).orR
    nodes := arities.map(a => Mux(arity === a, times(count.resize(countBits + 4), a), U(0))).reduce(_ | _)
  }
  private def check(): Unit = impossible := Mux(
    isLayer,
    Seq(
      unaligned(from) || outside(from) || beyond(from, nodes),
      unaligned(to) || outside(to) || beyond(to, count.resize(countBits)),
      count === 0 || count.drop(countBits).orR || !known
    ).orR,
    unaligned(address) || outside(address)
  )
  private def times(value: UInt, constant: Int): UInt =
    (0 until 5).filter(bit => (constant >> bit & 1) == 1).map(bit => (value << bit).resize(value.getWidth)).reduce(
      _ + _
    )

  /** The reader's beats, word by word. */
  val nodeWord = new Area {
    val place = Reg(UInt(3 bits))
    val words = Stream(Bits(64 bits))
    words.valid := reader.io.beats.valid
    words.payload := reader.io.beats.payload.subdivideIn(64 bits)(place)
    reader.io.beats.ready := words.ready && place.andR
    when(words.fire)(place := place + 1)
  }

  /** Of each state an index that nobody reads, the tag, and nodes. */
  val states = new Area {
    val left = Reg(UInt(countBits bits)) init 0
    val some = RegInit(False) // are left
    val place = Reg(UInt(log2Up(1 + nodeWords * config.widths.max) bits)) init 0
    val isNode = RegInit(False)
    private val last = config.byCode(code, config.hashes.map(hash => U(nodeWords * hash.width, place.getWidth bits)))
    io.states.valid := some && (!isNode || nodeWord.words.valid)
    io.states.last := place === last
    private val shown = isNode ? nodeWord.words.payload | Vec(tag)((place - 1).resize(2 bits))
    io.states.fragment := (if (config.kindBits == 0) shown else code.resize(config.kindBits bits).asBits ## shown)
    when(io.states.fire) {
      place := io.states.last ? U(0) | place + 1
      isNode := !io.states.last && place >= nodeWords
      when(io.states.last) {
        left := left - 1
        some := left =/= 1
      }
    }
    val takes = isNode && some && io.states.ready
  }

  /** What is written: digests, and zeros up to the end of their granule; or the data of a write. */
  val store = new Area {
    val left = Reg(UInt(countBits bits)) init 0 // digests
    val begun = RegInit(False) // a granule
    val word = Reg(UInt(log2Up(Granule.bytes / 8) bits)) init 0
    val target = Reg(UInt(memoryBits bits))
    val digest = Reg(Bits(PoseidonEntry.bits bits)) // the last one
    val open = Reg(UInt(8 bits)) init 0 // granules that the memory has not answered
    val fault = Reg(Bool())
    val first = Reg(UInt(32 bits)) // number of the present state's first element
    val bad = Reg(Bool())
    val element = Reg(UInt(32 bits))
    val data = Stream(Bits(64 bits)) // of a write
    val wants = False // a write's granule
    val words = Stream(Bits(64 bits))
    writer.io.words << words.s2mPipe().m2sPipe() // whose words they are does not wait for the memory in the same cycle

    writer.io.place.valid := !begun && (left =/= 0 || wants) && !open.msb
    writer.io.place.channel := 0
    writer.io.place.address := target
    when(writer.io.place.fire) {
      begun := True
      target := target + Granule.bytes
    }
    private val pads = isLayer && left === 0
    words.valid := begun && (pads || (isLayer ? io.answers.valid | data.valid))
    words.payload := pads ? B(0, 64 bits) |
      (isLayer ? io.answers.digest.subdivideIn(64 bits)(word.resize(2 bits)) | data.payload)
    data.ready := begun && !isLayer && words.ready
    io.answers.ready := begun && !pads && isLayer && words.ready && word.take(2).andR
    when(words.fire) {
      word := word + 1
      when(word.andR)(begun := False)
    }
    when(io.answers.fire) {
      left := left - 1
      first := first + config.byCode(code, config.hashes.map(hash => U(hash.width, 32 bits)))
      digest := io.answers.digest
      when(io.answers.status === Status.refused && !bad) {
        bad := True
        element := first + io.answers.element
      }
    }
    io.memory.b.ready := True
    open := open + writer.io.place.fire.asUInt - io.memory.b.fire.asUInt
    when(io.memory.b.fire && io.memory.b.resp =/= Axi4.resp.OKAY)(fault := True)
    val idle = left === 0 && !begun && open === 0
  }
  store.data.valid := False
  store.data.payload := io.command.fragment

  reader.io.start.valid := False
  reader.io.start.address := (isLayer ? from | address).resized
  reader.io.start.beats := (isLayer ? ((nodes +^ 1) >> 1) | U(Granule.beats)).resized
  reader.io.start.repeats := 1
  reader.io.stop := False
  io.data.valid := nodeWord.words.valid && kind === Kind.read
  io.data.payload := nodeWord.words.payload
  nodeWord.words.ready := isLayer ? states.takes | io.data.ready

  io.command.ready := False
  io.outcome.valid := False
  io.outcome.kind := kind
  io.outcome.index := index
  io.outcome.element := 0
  io.outcome.digest := store.digest
  io.outcome.status := Status.done
  when(store.bad) {
    io.outcome.status := Status.refused
    io.outcome.element := store.element
  }
  when(store.fault || reader.io.fault && kind =/= Kind.write) {
    io.outcome.status := Status.memoryFault
    io.outcome.element := 0
    io.outcome.digest := 0
  }
  when(impossible)(io.outcome.status := Status.invalid)

  object State extends SpinalEnum {
    val Index, Fields, Size, Check, Act, Write, Drop, Layer, Read, Answer, Flush = newElement()
  }
  val state = RegInit(State.Index)
  val busy = RegInit(False)
  val delivers = Reg(Bool()) // data of a read
  io.busy := busy
  switch(state) {
    is(State.Index) {
      io.command.ready := True
      kind := io.kind
      index := io.command.fragment
      when(io.command.valid) {
        busy := True
        state := State.Fields
      }
    }
    is(State.Fields) {
      io.command.ready := True
      when(io.command.valid) {
        for ((now, above) <- field.zip(field.tail :+ io.command.fragment.asUInt)) now := above
        when(io.command.last || kind === Kind.write)(state := State.Size)
      }
    }
    is(State.Size) {
      size()
      state := State.Check
    }
    is(State.Check) {
      check()
      state := State.Act
    }
    is(State.Act) {
      nodeWord.place := 0
      store.fault := False
      store.bad := False
      store.first := 0
      store.digest := 0
      store.target := (isLayer ? to | address).resized
      when(!impossible) {
        when(isLayer) {
          states.left := count.resized
          states.some := True // no layer is without digests
          store.left := count.resized
        }
        reader.io.start.valid := kind =/= Kind.write
      }
      state := kind.mux(
        Kind.write -> (impossible ? State.Drop | State.Write),
        Kind.layer -> (impossible ? State.Answer | State.Layer),
        default -> (impossible ? State.Answer | State.Read)
      )
    }
    is(State.Write) {
      store.data.valid := io.command.valid
      store.wants := True
      io.command.ready := store.data.ready
      when(io.command.fire && io.command.last)(state := State.Layer)
    }
    is(State.Drop) {
      io.command.ready := True
      when(io.command.fire && io.command.last)(state := State.Answer)
    }
    is(State.Layer)(when(store.idle)(state := State.Answer))
    is(State.Read)(when(reader.io.beats.valid && reader.io.idle)(state := State.Answer))
    is(State.Answer) {
      io.outcome.valid := True
      delivers := kind === Kind.read && io.outcome.status === Status.done
      when(io.outcome.ready)(state := State.Flush)
    }
    is(State.Flush) {
      // All beats have come, so they follow each other without a gap.
      val leaves = delivers && reader.io.beats.valid
      reader.io.stop := !leaves
      when(!leaves && reader.io.idle) {
        busy := False
        state := State.Index
      }
    }
  }
}
