package proofmill.engine.poseidon

import proofmill.arith.{Below, Lag}
import proofmill.engine.CommandParser
import proofmill.spec.{Poseidon, Strength}
import spinal.core._
import spinal.lib._

/** The data of a command for its reply. */
case class PendingHash() extends Bundle {
  val index = Bits(64 bits)
  val strengthened = Bool()
  val bad = Bool() // an element is not below the modulus
  val element = UInt(8 bits) // the first one that is not below the modulus
  val arrival = UInt(32 bits) // of the last word, in cycles
}

/** The number of hashes of a row. */
case class RowSize(config: PoseidonConfig) extends Bundle {
  val slot = UInt(config.slotBits bits)
  val last = UInt(log2Up(config.mostBlocks max 2) bits) // number of the last hash
}

/** Assembles hash commands into rows of states. A command is an index and the elements of a state, of four words each.
  *
  * | state    | action                                                              | next                          |
  * |:---------|:--------------------------------------------------------------------|:------------------------------|
  * | Index    | registers the command's index; opens or closes a row                | Elements                      |
  * | Elements | compares each element with the modulus and converts it into digits  | Index, after the last element |
  *
  * A row has states of one width. It is closed when it is full, when a command of another width arrives, and when no command has arrived for
  * [[RowAssembler.patience]] cycles. The next one is opened when a slot is free and at most one row waits. The throughput is a word per cycle while
  * rows are taken.
  */
class RowAssembler(config: PoseidonConfig, residues: Residues) extends Component {
  import residues.elementBits
  private val words = PoseidonEntry.bits / 64
  private val mostWidth = config.widths.max
  import config.kindBits
  val io = new Bundle {

    /** Words of command packets, the packet's number above each. */
    val command = slave(Stream(Fragment(Bits(64 + kindBits bits))))

    /** The present time, in cycles. */
    val clock = in(UInt(32 bits))

    /** Level: a slot is free. */
    val slotFree = in(Bool())

    /** Pulse: a row is opened, in the next slot. */
    val beginsRow = out(Bool())

    /** A pulse per command. */
    val pending = master(Flow(PendingHash()))
    val rowSize = master(Flow(RowSize(config))) // a pulse per row that is closed, with its number of hashes

    /** Rows for the permutation. */
    val rows = master(Stream(Row(config, elementBits)))
  }
  val parser = new CommandParser(io.command, words)
  import parser.{index, word}
  private val kind =
    if (kindBits == 0) U(0, config.codeBits bits) else io.command.fragment.drop(64).asUInt.resize(config.codeBits)

  /** The open row. */
  val slot = Reg(UInt(config.slotBits bits)) init 0
  val open = RegInit(False)
  val code = Reg(UInt(config.codeBits bits))
  val block = Reg(UInt(log2Up(config.mostBlocks max 2) bits))
  private val blocks = config.byCode(code, config.blocks.map(n => U(n - 1, block.getWidth bits)))

  /** An event of the row: an element, its end, or both. */
  case class Token() extends Bundle {
    val isElement, closes = Bool()
    val place = UInt(log2Up(config.elements) bits)
    val slot = UInt(config.slotBits bits)
    val code = UInt(config.codeBits bits)
  }
  val token = Token()
  token.isElement := False
  token.closes := False
  token.slot := slot
  token.code := code

  // Rows that were opened and not taken yet.
  val waiting = CounterUpDown(3, io.beginsRow, io.rows.fire)
  val patience = Reg(UInt(log2Up(RowAssembler.patience + 1) bits)) init 0
  private val fits = open && code === kind
  private val canBegin = !open && io.slotFree && waiting =/= 2
  io.beginsRow := False

  val failed = Reg(Bool())
  val first = Reg(UInt(8 bits))
  val element = Reg(UInt(log2Up(mostWidth) bits))
  val place = Reg(UInt(log2Up(words) bits)) init 0
  private val below = Below(Poseidon.field.modulus, word, place, io.command.fire)
  private val bad = place.andR && !below
  private val whole = word ## parser.field.asBits.dropLow(64)
  private val lastWord = io.command.last
  private val start = config.byCode(
    code,
    config.hashes.indices.map { c =>
      val starts = (0 until 1 << block.getWidth).map(b =>
        U(if (b < config.blocks(c)) config.place(c, b) else 0, token.place.getWidth bits)
      )
      Vec(starts)(block)
    }
  )
  token.place := start + element.resize(token.place.getWidth)

  io.command.ready := False
  io.pending.valid := False
  io.pending.index := index
  io.pending.strengthened := config.byCode(
    code,
    config.hashes.map(hash => Bool(hash.strength == Strength.Strengthened))
  )
  io.pending.bad := failed || bad
  io.pending.element := (bad && !failed) ? element.resize(8 bits) | first
  io.pending.arrival := io.clock

  object State extends SpinalEnum {
    val Index, Elements = newElement()
  }
  val state = RegInit(State.Index)
  switch(state) {
    is(State.Index) {
      // No command is accepted in the cycle in which a row is closed.
      val closes = open && (io.command.valid && !fits || patience === RowAssembler.patience)
      io.command.ready := !closes && (fits || canBegin)
      patience := (!open || io.command.valid) ? U(0) | patience + 1
      when(closes)(close())
      when(io.command.fire) {
        parser.loadIndex()
        failed := False
        first := 0
        element := 0
        state := State.Elements
        when(!open) {
          open := True
          code := kind
          block := 0
          io.beginsRow := True
        }
      }
    }
    is(State.Elements) {
      io.command.ready := True
      when(io.command.fire) {
        parser.shiftField()
        place := place + 1
        when(place.andR) {
          element := element + 1
          token.isElement := True
          failed := io.pending.bad
          first := io.pending.element
        }
        when(lastWord) {
          io.pending.valid := True
          state := State.Index
          block := block + 1
          when(block === blocks)(close())
        }
      }
    }
  }
  private def close(): Unit = {
    token.closes := True
    open := False
    slot := slot + 1
    patience := 0
  }
  // The number of the last hash; in Index it is complete already.
  io.rowSize.valid := token.closes
  io.rowSize.slot := slot
  io.rowSize.last := (state === State.Index) ? (block - 1) | block

  /** Converts elements into digits and adds the constants of the first round. */
  val entry = new PoseidonEntry(residues, config.form)
  private val constants = {
    val bits = log2Up(mostWidth)
    val table = config.hashes.flatMap(hash =>
      (0 until 1 << bits).map(i =>
        B(residues.encoded(hash.constants.head.applyOrElse(i, (_: Int) => BigInt(0))), elementBits bits)
      )
    )
    Mem(Bits(elementBits bits), table).readSync((code @@ element.resize(bits)).resize(log2Up(table.size)))
  }
  entry.io.value := RegNext(whole)
  entry.io.constant := constants
  private val cycles = entry.latency + 1
  private def settled(flag: Bool) = Delay(flag, cycles, init = False)
  private val arrives = Lag(token, cycles)
  val values = Reg(Vec(Bits(elementBits bits), config.elements))
  when(settled(token.isElement)) {
    for ((held, i) <- values.zipWithIndex) when(arrives.place === i)(held := entry.io.element)
  }

  // A complete row advances to the output register. The next one is complete at least a command later.
  val complete = RegNext(settled(token.closes)) init False
  val known = RegNext(arrives)
  val ready = RegInit(False)
  val outputRow = Reg(Row(config, elementBits))
  when(io.rows.fire)(ready := False)
  val heldBack = RegInit(False) // complete, while the output register is full
  private val advances = (complete || heldBack) && (!ready || io.rows.fire)
  heldBack := (complete || heldBack) && !advances
  when(advances) {
    ready := True
    outputRow.values := values
    val progress = heldBack ? RegNextWhen(known, complete) | known
    outputRow.progress.slot := progress.slot
    outputRow.progress.code := progress.code
    outputRow.progress.phase := Phase.first
    outputRow.progress.step := 0
  }
  io.rows.valid := ready
  io.rows.payload := outputRow
}

object RowAssembler {

  /** Cycles without a command after which a row is closed. */
  val patience = 64
}
