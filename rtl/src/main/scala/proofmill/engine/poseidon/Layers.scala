package proofmill.engine.poseidon

import proofmill.engine.{CommandParser, Engine, Granule, Reader, Writer}
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi._

/** Executes the commands of the memory, one at a time: writes, reads, and layers of trees.
  *
  * | state       | action                                                                    | next                              |
  * |:------------|:--------------------------------------------------------------------------|:----------------------------------|
  * | Index       | registers the command's index                                             | Fields                            |
  * | Fields      | registers the fields                                                      | Size                              |
  * | Size, Check | checks the fields, in two cycles                                          | Execute                           |
  * | Execute     | starts the reader, or a layer                                             | Write, Layer, Read; Drain or Reply if it is invalid |
  * | Write       | passes the data of a write to the writer                                  | Layer                             |
  * | Drain       | discards the data of an invalid write                                     | Reply                             |
  * | Layer       | turns nodes into states and writes their digests; waits for all responses | Reply                             |
  * | Read        | waits until the reader has the whole granule                              | Reply                             |
  * | Reply       | offers the outcome                                                        | Flush                             |
  * | Flush       | sends the data of a read, or discards what is left in the reader          | Index                             |
  *
  * While it is busy, the engine hashes only for it: `states` are commands as [[RowAssembler]] accepts them, and `digests` are their outcomes in order.
  */
class Layers(config: PoseidonConfig) extends Component {
  import config.memoryBits
  private val axi = Engine.memory(memoryBits)
  private val nodeBytes = PoseidonEntry.bits / 8
  private val nodeWords = nodeBytes / 8
  private val countBits = memoryBits - log2Up(nodeBytes) + 1
  val io = new Bundle {

    /** The kind of the command, valid with its first word. */
    val kind = in(HashCommand())
    val command = slave(Stream(Fragment(Bits(64 bits)))) // words of command packets

    /** Level: a command is executed. */
    val busy = out(Bool())

    /** States to hash, as commands of [[RowAssembler]]. */
    val states = master(Stream(Fragment(Bits(64 + config.kindBits bits))))
    val digests = slave(Stream(HashOutcome())) // outcomes of `states`, in order

    /** The outcome of the command. */
    val outcome = master(Stream(HashOutcome()))
    val data = master(Stream(Bits(64 bits))) // the data of a read, after its outcome, without gaps
    val memory = master(Axi4(axi)) // the channel of nodes
  }

  val kind = Reg(HashCommand())
  val parser = new CommandParser(io.command, fields = 8)
  import parser.{field, index}
  private val Seq(from, to, count, arity) = field.take(4).toSeq
  private val address = field.last
  private val tag = field.drop(4).map(_.asBits)

  val reader = new Reader(axi)
  val writer = new Writer(axi, channels = 1)
  io.memory.ar << reader.io.memory.ar
  reader.io.memory.r << io.memory.r
  // A beat has eight words, so half the rate is enough, and the paths from the memory are cut.
  io.memory.aw << writer.io.address.head.halfPipe()
  io.memory.w << writer.io.data.head.halfPipe()

  /** The fields, checked in two cycles. */
  val code = Reg(UInt(config.codeBits bits))
  val arityKnown = Reg(Bool())
  val nodes = Reg(UInt(countBits + 4 bits))
  val invalid = Reg(Bool())
  private val arities = config.widths.map(_ - 1)
  private def unaligned(place: UInt) = place.take(log2Up(Granule.bytes)).orR
  private def outside(place: UInt) = place.drop(memoryBits).orR
  private def beyond(place: UInt, nodes: UInt) =
    place.resize(memoryBits) +^ (nodes << log2Up(nodeBytes)) > (BigInt(1) << memoryBits)
  private def isLayer = kind === HashCommand.layer
  private def size(): Unit = {
    code := OHToUInt(arities.map(arity === _)).resized
    arityKnown := arities.map(arity === _).orR
    nodes := arities.map(a => Mux(arity === a, times(count.resize(countBits + 4), a), U(0))).reduce(_ | _)
  }
  private def check(): Unit = invalid := Mux(
    isLayer,
    Seq(
      unaligned(from) || outside(from) || beyond(from, nodes),
      unaligned(to) || outside(to) || beyond(to, count.resize(countBits)),
      count === 0 || count.drop(countBits).orR || !arityKnown
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

  /** A command per state: an index that is not used, the tag, and nodes. */
  val states = new Area {
    val left = Reg(UInt(countBits bits)) init 0
    val statesLeft = RegInit(False)
    val place = Reg(UInt(log2Up(1 + nodeWords * config.widths.max) bits)) init 0
    val isNode = RegInit(False)
    private val last = config.byCode(code, config.hashes.map(hash => U(nodeWords * hash.width, place.getWidth bits)))
    io.states.valid := statesLeft && (!isNode || nodeWord.words.valid)
    io.states.last := place === last
    private val shown = isNode ? nodeWord.words.payload | Vec(tag)((place - 1).resize(2 bits))
    io.states.fragment := (if (config.kindBits == 0) shown else code.resize(config.kindBits bits).asBits ## shown)
    when(io.states.fire) {
      place := io.states.last ? U(0) | place + 1
      isNode := !io.states.last && place >= nodeWords
      when(io.states.last) {
        left := left - 1
        statesLeft := left =/= 1
      }
    }
    val takes = isNode && statesLeft && io.states.ready
  }

  /** Data to store: digests, padded with zeros to a granule; or the data of a write. */
  val store = new Area {
    val left = Reg(UInt(countBits bits)) init 0 // digests
    val begun = RegInit(False) // a granule
    val word = Reg(UInt(log2Up(Granule.bytes / 8) bits)) init 0
    val target = Reg(UInt(memoryBits bits))
    val digest = Reg(Bits(PoseidonEntry.bits bits)) // the last one
    val open = Reg(UInt(8 bits)) init 0 // granules without a response
    val fault = Reg(Bool())
    val first = Reg(UInt(32 bits)) // number of the present state's first element
    val bad = Reg(Bool())
    val element = Reg(UInt(32 bits))
    val data = Stream(Bits(64 bits)) // of a write
    val wants = False // a write's granule
    val words = Stream(Bits(64 bits))
    writer.io.words << words.s2mPipe().m2sPipe() // cuts the path of ready from the memory

    writer.io.place.valid := !begun && (left =/= 0 || wants) && !open.msb
    writer.io.place.channel := 0
    writer.io.place.address := target
    when(writer.io.place.fire) {
      begun := True
      target := target + Granule.bytes
    }
    private val pads = isLayer && left === 0
    words.valid := begun && (pads || (isLayer ? io.digests.valid | data.valid))
    words.payload := pads ? B(0, 64 bits) |
      (isLayer ? io.digests.digest.subdivideIn(64 bits)(word.resize(2 bits)) | data.payload)
    data.ready := begun && !isLayer && words.ready
    io.digests.ready := begun && !pads && isLayer && words.ready && word.take(2).andR
    when(words.fire) {
      word := word + 1
      when(word.andR)(begun := False)
    }
    when(io.digests.fire) {
      left := left - 1
      first := first + config.byCode(code, config.hashes.map(hash => U(hash.width, 32 bits)))
      digest := io.digests.digest
      when(io.digests.status === HashStatus.refused && !bad) {
        bad := True
        element := first + io.digests.element
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
  io.data.valid := nodeWord.words.valid && kind === HashCommand.read
  io.data.payload := nodeWord.words.payload
  nodeWord.words.ready := isLayer ? states.takes | io.data.ready

  io.command.ready := False
  io.outcome.valid := False
  io.outcome.kind := kind
  io.outcome.index := index
  io.outcome.element := 0
  io.outcome.digest := store.digest
  io.outcome.status := HashStatus.done
  when(store.bad) {
    io.outcome.status := HashStatus.refused
    io.outcome.element := store.element
  }
  when(store.fault || reader.io.fault && kind =/= HashCommand.write) {
    io.outcome.status := HashStatus.memoryFault
    io.outcome.element := 0
    io.outcome.digest := 0
  }
  when(invalid)(io.outcome.status := HashStatus.invalid)

  object State extends SpinalEnum {
    val Index, Fields, Size, Check, Execute, Write, Drain, Layer, Read, Reply, Flush = newElement()
  }
  val state = RegInit(State.Index)
  val busy = RegInit(False)
  val delivers = Reg(Bool()) // data of a read
  io.busy := busy
  switch(state) {
    is(State.Index) {
      kind := io.kind
      parser.takeIndex {
        busy := True
        state := State.Fields
      }
    }
    is(State.Fields)(parser.takeFields(hasData = kind === HashCommand.write)(state := State.Size))
    is(State.Size) {
      size()
      state := State.Check
    }
    is(State.Check) {
      check()
      state := State.Execute
    }
    is(State.Execute) {
      nodeWord.place := 0
      store.fault := False
      store.bad := False
      store.first := 0
      store.digest := 0
      store.target := (isLayer ? to | address).resized
      when(!invalid) {
        when(isLayer) {
          states.left := count.resized
          states.statesLeft := True // no layer is without digests
          store.left := count.resized
        }
        reader.io.start.valid := kind =/= HashCommand.write
      }
      state := kind.mux(
        HashCommand.write -> (invalid ? State.Drain | State.Write),
        HashCommand.layer -> (invalid ? State.Reply | State.Layer),
        default -> (invalid ? State.Reply | State.Read)
      )
    }
    is(State.Write) {
      store.data.valid := io.command.valid
      store.wants := True
      io.command.ready := store.data.ready
      when(io.command.fire && io.command.last)(state := State.Layer)
    }
    is(State.Drain)(parser.drain(state := State.Reply))
    is(State.Layer)(when(store.idle)(state := State.Reply))
    is(State.Read)(when(reader.io.beats.valid && reader.io.idle)(state := State.Reply))
    is(State.Reply) {
      io.outcome.valid := True
      delivers := kind === HashCommand.read && io.outcome.status === HashStatus.done
      when(io.outcome.ready)(state := State.Flush)
    }
    is(State.Flush) {
      // All beats have arrived, so they follow each other without a gap.
      val sends = delivers && reader.io.beats.valid
      reader.io.stop := !sends
      when(!sends && reader.io.idle) {
        busy := False
        state := State.Index
      }
    }
  }
}
