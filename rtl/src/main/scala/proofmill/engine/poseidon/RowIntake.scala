package proofmill.engine.poseidon

import proofmill.arith.{Below, Lag}
import proofmill.spec.{Poseidon, Strength}
import spinal.core._
import spinal.lib._

/** What is kept of a command until its reply. */
case class Pending() extends Bundle {
  val index = Bits(64 bits)
  val strengthened = Bool()
  val bad = Bool() // some element is not below the modulus
  val element = UInt(8 bits) // the first of them
  val arrival = UInt(32 bits) // of the last word
}

/** How many hashes a row has. */
case class Filled(config: PoseidonConfig) extends Bundle {
  val slot = UInt(config.slotBits bits)
  val last = UInt(log2Up(config.mostBlocks max 2) bits) // number of the last one
}

/** Puts commands together to rows: an index, then the state's elements, of four words each.
  *
  *   1. Index: the command's first word. A row that has begun goes on if it has states of the same width and room; if not, it is closed
  *      and another one begins, as soon as a slot is free and not more than one row waits. A row that is full is closed, and so is one for
  *      which no command has come for a while.
  *   2. Elements: each is compared with the modulus on its way in, and becomes digits.
  *
  * Takes a word a cycle while rows are taken.
  */
class RowIntake(config: PoseidonConfig, residues: Residues) extends Component {
  import residues.elementBits
  private val words = PoseidonEntry.bits / 64
  private val mostWidth = config.widths.max
  import config.kindBits
  val io = new Bundle {
    val command = slave(Stream(Fragment(Bits(64 + kindBits bits))))
    val clock = in(UInt(32 bits))
    val free = in(Bool()) // a slot
    val begins = out(Bool()) // a row, in the next slot
    val pending = master(Flow(Pending()))
    val filled = master(Flow(Filled(config)))
    val rows = master(Stream(Row(config, elementBits)))
  }
  private val word = io.command.fragment.takeLow(64)
  private val kind =
    if (kindBits == 0) U(0, config.codeBits bits) else io.command.fragment.drop(64).asUInt.resize(config.codeBits)

  /** The row that is being filled. */
  val slot = Reg(UInt(config.slotBits bits)) init 0
  val open = RegInit(False)
  val code = Reg(UInt(config.codeBits bits))
  val block = Reg(UInt(log2Up(config.mostBlocks max 2) bits))
  private val blocks = config.byCode(code, config.blocks.map(n => U(n - 1, block.getWidth bits)))

  /** What goes to the row's elements, in this order: an element, the end of the row, or both. */
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

  // Rows that have begun and have not been taken.
  val waiting = CounterUpDown(3, io.begins, io.rows.fire)
  val patience = Reg(UInt(log2Up(RowIntake.patience + 1) bits)) init 0
  private val fits = open && code === kind
  private val canBegin = !open && io.free && waiting =/= 2
  io.begins := False

  val index = Reg(Bits(64 bits))
  val failed = Reg(Bool())
  val first = Reg(UInt(8 bits))
  val element = Reg(UInt(log2Up(mostWidth) bits))
  val place = Reg(UInt(log2Up(words) bits)) init 0
  val value = Reg(Bits(PoseidonEntry.bits bits))
  private val below = Below(Poseidon.field.modulus, word, place, io.command.fire)
  private val bad = place.andR && !below
  private val whole = word ## value.dropLow(64)
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
      // No command is taken in the cycle in which a row is closed.
      val closes = open && (io.command.valid && !fits || patience === RowIntake.patience)
      io.command.ready := !closes && (fits || canBegin)
      patience := (!open || io.command.valid) ? U(0) | patience + 1
      when(closes)(close())
      when(io.command.fire) {
        index := word
        failed := False
        first := 0
        element := 0
        state := State.Elements
        when(!open) {
          open := True
          code := kind
          block := 0
          io.begins := True
        }
      }
    }
    is(State.Elements) {
      io.command.ready := True
      when(io.command.fire) {
        value := whole
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
  // The number of the last hash: in Index a row is closed behind it.
  io.filled.valid := token.closes
  io.filled.slot := slot
  io.filled.last := (state === State.Index) ? (block - 1) | block

  /** To digits, with the first round's constants, and to their places. */
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

  // A row that is complete moves on; the next one is at least a command away, and the one before it has been taken.
  val complete = RegNext(settled(token.closes)) init False
  val known = RegNext(arrives)
  val ready = RegInit(False)
  val handed = Reg(Row(config, elementBits))
  when(io.rows.fire)(ready := False)
  val stays = RegInit(False) // complete, and the row before it is still here
  private val moves = (complete || stays) && (!ready || io.rows.fire)
  stays := (complete || stays) && !moves
  when(moves) {
    ready := True
    handed.values := values
    val progress = stays ? RegNextWhen(known, complete) | known
    handed.progress.slot := progress.slot
    handed.progress.code := progress.code
    handed.progress.phase := Phase.first
    handed.progress.step := 0
  }
  io.rows.valid := ready
  io.rows.payload := handed
}

object RowIntake {

  /** Cycles without a command after which a row goes on as it is. */
  val patience = 64
}
