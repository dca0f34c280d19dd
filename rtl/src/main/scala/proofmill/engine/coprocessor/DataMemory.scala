package proofmill.engine.coprocessor

import proofmill.pairing.TaggedInteger
import spinal.core._
import spinal.lib._

/** Operations of data memory:
  *
  *   - `ReadInteger`: returns the integer of a slot;
  *   - `LoadResidues`: gives the pairing processor the residues of `count` slots that it lacks; not `good` if one of them is not below p;
  *   - `TestZero`: `good` if the processor's residues of `count` slots are all 0;
  *   - `WriteInteger`: stores an integer and its type;
  *   - `MarkResult`: the processor has stored results of this type in `count` slots.
  */
object DataOperation extends SpinalEnum {
  val ReadInteger, LoadResidues, TestZero, WriteInteger, MarkResult = newElement()
}

/** A request to data memory. It is taken when its operation is done. `slot` may be one of the processor's own. */
case class DataRequest(slotBits: Int, bits: Int) extends Bundle {
  val operation = DataOperation()
  val slot = UInt(slotBits bits)
  val count = UInt(ShapeOf.countBits bits)
  val value = Bits(bits bits)
  val slotType = Bits(3 bits)
}

/** The response, valid while a [[DataRequest]] is taken. */
case class DataResponse(bits: Int) extends Bundle {
  val value = Bits(bits bits)
  val slotType = Bits(3 bits)
  val good = Bool()
}

/** Data memory: types, integers, and which slots of the pairing processor hold residues.
  *
  * A slot has its integer, its residue, or both. The host and control instructions write integers, the processor writes residues. The other form
  * is made on demand and kept, so a chain of products converts nothing. Requests are processed one at a time, the executor's first.
  *
  * | state          | action                                                   | next                                              |
  * |:---------------|:---------------------------------------------------------|:--------------------------------------------------|
  * | Idle           | takes a request                                          | Perform                                           |
  * | Perform        | operations of one cycle                                  | Done; Read, RequestInteger or NextSlot for others |
  * | NextSlot       | selects the next slot                                    | Read, or RequestInteger for TestZero; skips slots that have residues |
  * | Read, ReadData | reads the slot's integer                                 | Done for ReadInteger, else Compare                |
  * | Compare        | compares it with p                                       | SendResidue; Done, not good, if it is not below   |
  * | SendResidue    | writes it to the processor                               | AwaitWrite                                        |
  * | AwaitWrite     | waits until it is written                                | NextSlot, or Done                                 |
  * | RequestInteger | reads a residue's integer from the processor             | AwaitInteger                                      |
  * | AwaitInteger   | waits for it                                             | StoreInteger; NextSlot or Done for TestZero       |
  * | StoreInteger   | stores it                                                | Done                                              |
  * | Done           | the request is retired                                   | Idle                                              |
  */
class DataMemory(log2: Int, slotBits: Int, bits: Int, modulus: BigInt) extends Component {
  private val slots = 1 << log2
  private def slotNumber = UInt(log2 bits)
  val io = new Bundle {

    /** A pulse starts clearing all slots. */
    val clear = in(Bool())
    val clearing = out(Bool()) // level: slots are being cleared, after `clear` or a reset; requests wait

    /** Requests; the executor's have priority. One is accepted when its operation is done. */
    val executor, host = slave(Stream(DataRequest(slotBits, bits)))
    val response = out(DataResponse(bits)) // of the request that is accepted, valid in that cycle

    /** Two slots whose types are read. */
    val typeSlots = in(Vec.fill(2)(slotNumber))
    val types = out(Vec.fill(2)(Bits(3 bits))) // their types, in the same cycle

    /** Pairing processor: an integer to write; its tag is the slot. */
    val write = master(Stream(TaggedInteger(bits, UInt(slotBits bits))))
    val writing = in(Bool()) // level: the processor has not finished the write

    /** Pairing processor: a slot to read. */
    val read = master(Stream(UInt(slotBits bits)))
    val value = slave(Flow(Bits(bits bits))) // the integer of the slot that was read, some cycles later
  }
  private object State extends SpinalEnum(binaryOneHot) {
    val Idle, Perform, NextSlot, Read, ReadData, Compare, SendResidue, AwaitWrite, RequestInteger, AwaitInteger,
        StoreInteger, Done = newElement()
  }
  import State._
  private val state = RegInit(Idle)
  private val isHost = Reg(Bool())
  private val request = Reg(DataRequest(slotBits, bits))
  private val good = Reg(Bool())
  private val slot = request.slot.resize(log2)

  private val hasInteger, hasResidue = Reg(Bits(slots bits))
  private val types = Vec(Seq.fill(slots)(Reg(Bits(3 bits))))
  private val memory = Mem(Bits(bits bits), slots)

  private val clearing = new ClearSequencer(log2, io.clear, state === Idle)
  private val cleared = RegNext(!clearing.busy, init = False)
  // Changes of `count` slots from `slot` on. They take effect two cycles later, before the same slots are read again.
  private val change, integer, residue = False
  private val count = U(1, 4 bits)
  private val store = False
  private val retype = False
  private def mask(from: UInt, count: UInt): Bits =
    ((U(1, 16 bits) |<< count) - 1).asBits.resize(slots) |<< from
  private val address = clearing.busy ? clearing.slot | slot
  private val slotType = Delay(request.slotType.andMask(!clearing.busy), 2)
  private val range = RegNext(mask(RegNext(address), RegNext(count)))
  private val Seq(changing, changesType) = Seq(change, change && retype).map(Delay(_, 2, init = False))
  private val Seq(isInteger, isResidue) = Seq(integer, residue).map(Delay(_, 2))
  when(changing) {
    hasInteger := hasInteger & ~range | range.andMask(isInteger)
    hasResidue := hasResidue & ~range | range.andMask(isResidue)
  }
  for (i <- 0 until slots) when(changesType && range(i))(types(i) := slotType)
  memory.write(address, request.value.andMask(!clearing.busy), store)
  private val fetched = memory.readSync(slot)
  private def changes(integers: Bool, residues: Bool): Unit = {
    change := True
    integer := integers
    residue := residues
  }

  /** Whether one of `count` slots, from `slot` on, has no residue. Selects two rows, and then the slots in them. */
  private def lacksResidue(slot: UInt, count: UInt): Bool = {
    val rows = hasResidue.subdivideIn(DataMemory.row bits)
    val within = log2Up(DataMemory.row)
    val row = slot >> within
    val two = Vec(rows.tail :+ rows.head)(row) ## rows(row)
    (~two & (((U(1, DataMemory.row bits) |<< count) - 1).asBits.resize(2 * DataMemory.row) |<< slot.resize(within))).orR
  }

  private def next(): Unit = {
    request.slot := request.slot + 1
    request.count := request.count - 1
    state := NextSlot
    when(request.count === 1)(state := Done)
  }

  switch(state) {
    is(Idle) {
      isHost := !io.executor.valid
      request := io.executor.valid ? io.executor.payload | io.host.payload
      good := True
      when(clearing.busy) {
        changes(True, False)
        retype := True
        store := True
      } elsewhen ((io.executor.valid || io.host.valid) && cleared)(state := Perform)
    }
    is(Perform) {
      switch(request.operation) {
        is(DataOperation.ReadInteger)(state := hasInteger(slot) ? Read | RequestInteger)
        is(DataOperation.LoadResidues)(state := (request.count >= DataMemory.row || lacksResidue(
          slot,
          request.count.resize(log2Up(DataMemory.row))
        )) ? NextSlot | Done)
        is(DataOperation.TestZero)(state := RequestInteger)
        is(DataOperation.WriteInteger) {
          changes(True, False)
          retype := True
          store := True
          state := Done
        }
        is(DataOperation.MarkResult) {
          changes(False, True)
          retype := True
          count := request.count.resized
          state := Done
        }
      }
    }
    is(NextSlot) {
      state := Read
      when(request.operation === DataOperation.TestZero)(state := RequestInteger)
      when(request.operation === DataOperation.LoadResidues && hasResidue(slot))(next())
    }
    is(Read)(state := ReadData)
    is(ReadData) {
      request.value := fetched
      state := (request.operation === DataOperation.ReadInteger) ? Done | Compare
    }
    is(Compare) {
      state := SendResidue
      when(request.value.asUInt >= modulus) {
        good := False
        state := Done
      }
    }
    is(SendResidue)(when(io.write.ready)(state := AwaitWrite))
    is(AwaitWrite) {
      when(!io.writing) {
        changes(True, True)
        next()
      }
    }
    is(RequestInteger)(when(io.read.ready)(state := AwaitInteger))
    is(AwaitInteger) {
      when(io.value.valid) {
        request.value := io.value.payload
        state := StoreInteger
        when(request.operation === DataOperation.TestZero) {
          good := good && io.value.payload === 0
          next()
        }
      }
    }
    is(StoreInteger) {
      changes(True, True)
      store := True
      state := Done
    }
    is(Done)(state := Idle)
  }

  io.clearing := clearing.busy
  io.executor.ready := state === Done && !isHost
  io.host.ready := state === Done && isHost
  io.response.value := request.value
  io.response.slotType := types(slot)
  io.response.good := good
  for (i <- 0 until 2) io.types(i) := types(io.typeSlots(i))
  io.write.valid := state === SendResidue
  io.write.value := request.value
  io.write.tag := request.slot
  io.read.valid := state === RequestInteger
  io.read.payload := request.slot
}

object DataMemory {

  /** Slots that are tested at once; only lines have more. */
  private val row = 16
}
