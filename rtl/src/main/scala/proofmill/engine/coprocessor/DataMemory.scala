package proofmill.engine.coprocessor

import proofmill.pairing.TaggedInteger
import spinal.core._
import spinal.lib._

/** What is asked of data memory:
  *
  *   - `Integer` of a slot;
  *   - `Residues`: the processor gets those of `count` slots that it has not; not good if one of them is not below p;
  *   - `Zero`: good if the processor's residues of `count` slots are all 0;
  *   - `Put`: an integer and its type;
  *   - `Mark`: the processor has stored results in `count` slots, of this type.
  */
object Task extends SpinalEnum { val Integer, Residues, Zero, Put, Mark = newElement() }

/** Stays until it is taken, and is taken when it is done. `slot` may be one of the processor's own. */
case class Ask(placeBits: Int, bits: Int) extends Bundle {
  val task = Task()
  val slot = UInt(placeBits bits)
  val count = UInt(ShapeOf.countBits bits)
  val value = Bits(bits bits)
  val kind = Bits(3 bits)
}

/** The answer, there when an `Ask` is taken. */
case class Found(bits: Int) extends Bundle {
  val value = Bits(bits bits)
  val kind = Bits(3 bits)
  val good = Bool()
}

/** Data memory: types, integers, and which slots of the pairing processor have their residues.
  *
  * A slot has its integer, its residue, or both: what the host or a program puts there is an integer, a result of the processor is a
  * residue. The other form is made when somebody asks for it, and kept. So a chain of products converts nothing.
  *
  * One thing at a time, the machine's first, so that nobody sees a slot between two states:
  *
  *   1. Idle: takes an ask.
  *   2. Act: does what takes one cycle.
  *   3. Walk: looks at the next slot.
  *   4. Fetch, Fetched: its integer.
  *   5. Compare, Deliver, Settle: becomes a residue, if it is below p.
  *   6. Convert, Converting, Keep: its residue becomes an integer.
  *   7. Done: the ask is taken.
  */
class DataMemory(log2: Int, placeBits: Int, bits: Int, modulus: BigInt) extends Component {
  private val slots = 1 << log2
  private def slotNumber = UInt(log2 bits)
  val io = new Bundle {
    val clear = in(Bool())
    val clearing = out(Bool())
    val machine, host = slave(Stream(Ask(placeBits, bits)))
    val found = out(Found(bits)) // of whoever's ask is taken
    val look = in(Vec.fill(2)(slotNumber)) // whose types are wanted
    val kinds = out(Vec.fill(2)(Bits(3 bits)))
    val write = master(Stream(TaggedInteger(bits, UInt(placeBits bits))))
    val writing = in(Bool())
    val read = master(Stream(UInt(placeBits bits)))
    val value = slave(Flow(Bits(bits bits)))
  }
  private object State extends SpinalEnum(binaryOneHot) {
    val Idle, Act, Walk, Fetch, Fetched, Compare, Deliver, Settle, Convert, Converting, Keep, Done = newElement()
  }
  import State._
  private val state = RegInit(Idle)
  private val isHost = Reg(Bool())
  private val ask = Reg(Ask(placeBits, bits))
  private val good = Reg(Bool())
  private val slot = ask.slot.resize(log2)

  private val hasInteger, hasResidue = Reg(Bits(slots bits))
  private val kinds = Vec(Seq.fill(slots)(Reg(Bits(3 bits))))
  private val memory = Mem(Bits(bits bits), slots)

  private val clearing = new Clearing(log2, io.clear, state === Idle)
  private val cleared = RegNext(!clearing.busy, init = False)
  // All changes of slots: `count` of them from `slot` on. They are made two cycles later, before anybody looks at the same slots again.
  private val change, integer, residue = False
  private val count = U(1, 4 bits)
  private val store = False
  private val retype = False
  private def mask(from: UInt, count: UInt): Bits =
    ((U(1, 16 bits) |<< count) - 1).asBits.resize(slots) |<< from
  private val place = clearing.busy ? clearing.slot | slot
  private val kind = Delay(ask.kind.andMask(!clearing.busy), 2)
  private val range = RegNext(mask(RegNext(place), RegNext(count)))
  private val Seq(changing, retypes) = Seq(change, change && retype).map(Delay(_, 2, init = False))
  private val Seq(isInteger, isResidue) = Seq(integer, residue).map(Delay(_, 2))
  when(changing) {
    hasInteger := hasInteger & ~range | range.andMask(isInteger)
    hasResidue := hasResidue & ~range | range.andMask(isResidue)
  }
  for (i <- 0 until slots) when(retypes && range(i))(kinds(i) := kind)
  memory.write(place, ask.value.andMask(!clearing.busy), store)
  private val fetched = memory.readSync(slot)
  private def changes(integers: Bool, residues: Bool): Unit = {
    change := True
    integer := integers
    residue := residues
  }

  /** Has one of `count` slots, from a slot on, no residue? The slots' rows, and within two of them the slots. */
  private def lacks(slot: UInt, count: UInt): Bool = {
    val rows = hasResidue.subdivideIn(DataMemory.row bits)
    val within = log2Up(DataMemory.row)
    val row = slot >> within
    val two = Vec(rows.tail :+ rows.head)(row) ## rows(row)
    (~two & (((U(1, DataMemory.row bits) |<< count) - 1).asBits.resize(2 * DataMemory.row) |<< slot.resize(within))).orR
  }

  private def next(): Unit = {
    ask.slot := ask.slot + 1
    ask.count := ask.count - 1
    state := Walk
    when(ask.count === 1)(state := Done)
  }

  switch(state) {
    is(Idle) {
      isHost := !io.machine.valid
      ask := io.machine.valid ? io.machine.payload | io.host.payload
      good := True
      when(clearing.busy) {
        changes(True, False)
        retype := True
        store := True
      } elsewhen ((io.machine.valid || io.host.valid) && cleared)(state := Act)
    }
    is(Act) {
      switch(ask.task) {
        is(Task.Integer)(state := hasInteger(slot) ? Fetch | Convert)
        is(Task.Residues)(state := (ask.count >= DataMemory.row || lacks(
          slot,
          ask.count.resize(log2Up(DataMemory.row))
        )) ? Walk | Done)
        is(Task.Zero)(state := Convert)
        is(Task.Put) {
          changes(True, False)
          retype := True
          store := True
          state := Done
        }
        is(Task.Mark) {
          changes(False, True)
          retype := True
          count := ask.count.resized
          state := Done
        }
      }
    }
    is(Walk) {
      state := Fetch
      when(ask.task === Task.Zero)(state := Convert)
      when(ask.task === Task.Residues && hasResidue(slot))(next())
    }
    is(Fetch)(state := Fetched)
    is(Fetched) {
      ask.value := fetched
      state := (ask.task === Task.Integer) ? Done | Compare
    }
    is(Compare) {
      state := Deliver
      when(ask.value.asUInt >= modulus) {
        good := False
        state := Done
      }
    }
    is(Deliver)(when(io.write.ready)(state := Settle))
    is(Settle) {
      when(!io.writing) {
        changes(True, True)
        next()
      }
    }
    is(Convert)(when(io.read.ready)(state := Converting))
    is(Converting) {
      when(io.value.valid) {
        ask.value := io.value.payload
        state := Keep
        when(ask.task === Task.Zero) {
          good := good && io.value.payload === 0
          next()
        }
      }
    }
    is(Keep) {
      changes(True, True)
      store := True
      state := Done
    }
    is(Done)(state := Idle)
  }

  io.clearing := clearing.busy
  io.machine.ready := state === Done && !isHost
  io.host.ready := state === Done && isHost
  io.found.value := ask.value
  io.found.kind := kinds(slot)
  io.found.good := good
  for (i <- 0 until 2) io.kinds(i) := kinds(io.look(i))
  io.write.valid := state === Deliver
  io.write.value := ask.value
  io.write.tag := ask.slot
  io.read.valid := state === Convert
  io.read.payload := ask.slot
}

object DataMemory {

  /** Slots that are looked at together; only lines have more. */
  private val row = 16
}
