package proofmill.engine.vdf

import proofmill.engine.{CommandParser, Engine, EnginePacket}
import proofmill.spec.{Block, Command, Spec}
import proofmill.stream.Word
import spinal.core._
import spinal.lib._

/** Commands, in the order of `Engine.commands`. */
object VdfCommand extends SpinalEnum(binarySequential) {
  val load, square = newElement()
}

/** `status` of a reply. */
object VdfStatus extends SpinalEnum(binarySequential) {
  val done, invalid, missing = newElement()

  def code(status: SpinalEnumCraft[VdfStatus.type]): Bits = {
    val table = Spec.table("wire/vdf").getTable("status")
    def of(name: String) = B(Spec.int(table, name), 64 bits)
    status.mux(done -> of("done"), invalid -> of("invalid"), missing -> of("missing"))
  }
}

/** Squares repeatedly modulo any N of at most `bits` bits.
  *
  * {{{
  *  command ─► CommandParser ─ constants ──────────────┐
  *               │      └─ input ─────────────────┐    ▼
  *               ▼                                └► Reducer ─► state ─┬─► words ─► reply
  *        SquaringControl                              ▲               │
  *                                                  Squarer ◄──────────┘
  * }}}
  *
  * The constants of a modulus are loaded once. Commands are executed and answered in order:
  *
  * | state  | action                                               | next                          |
  * |:-------|:-----------------------------------------------------|:------------------------------|
  * | Index  | registers the command's index                        | Fields                        |
  * | Fields | registers and checks the fields                      | Data                          |
  * | Data   | registers an input or constant                       | Run for squarings, else Reply |
  * | Run    | squares                                              | Reply                         |
  * | Reply  | sends the reply, with the state after squarings      | Index                         |
  */
class VdfEngine(config: VdfConfig) extends Engine {
  import config.{bits, constants, stateWords, words}
  private val table = Spec.table("wire/vdf")
  private val loadWire = Command(table, "load")
  private val squareWire = {
    val bare = Spec.int(table.getTable("commands.square"), "bare_reply_len")
    Command(table, "square", bare + 8 * stateWords)
  }
  val commands: Seq[EnginePacket] = Seq("load" -> loadWire, "square" -> squareWire).map { case (name, wire) =>
    EnginePacket(wire, Spec.int(table.getTable(s"commands.$name"), "bare_len") + 8 * words)
  }
  val capability: Int = Spec.int(Spec.table("wire/shell").getTable("capabilities"), "vdf")
  val block: Block = Block(table)
  val parameters: Map[String, BigInt] = Map(
    "bits" -> bits,
    "constants" -> constants,
    "state_words" -> stateWords,
    "squaring_cycles" -> config.cycles,
    "queue" -> (1 + Engine.queueWords / (commands.map(_.bytes).max / 8))
  ).map { case (name, value) => name -> BigInt(value) }
  val resets: Map[String, BigInt] = Map.empty
  def control: Map[String, Bits] = Map.empty

  val command = slave(Word.payloads(commands.size)) // words of command packets, the packet's number above each
  val reply = master(Word.packets) // one packet per command, in their order
  val done, squarings, busyCycles =
    out(Reg(UInt(64 bits)) init 0) // counters: replies; squarings; cycles with a command
  def status: Map[String, Bits] =
    Map("done" -> done.asBits, "squarings" -> squarings.asBits, "busy_cycles" -> busyCycles.asBits)

  object State extends SpinalEnum {
    val Index, Fields, Data, Run, Reply = newElement()
  }
  val state = RegInit(State.Index)
  val parser = new CommandParser(command, fields = 1)
  private val kind = Reg(VdfCommand())
  private val isLoad = kind === VdfCommand.load
  private val outcome = Reg(VdfStatus())

  /** Constants that have entered, and whether there is a state of their modulus. */
  val loaded = Reg(UInt(log2Up(constants + 1) bits)) init 0
  val hasState = RegInit(False)

  /** An input or constant. An input is 0 once it has entered. */
  val data = Reg(Bits(bits bits)) init 0

  /** The fields, while their word is present. */
  private val fields = new Area {
    val (low, high) = (parser.word.take(32).asUInt, parser.word.drop(32).asUInt)
    val first = low === 0
    val continues = high(0)
    val loadInvalid = !first && low =/= loaded || high =/= 0 || low >= constants
    val squareInvalid = first || high > 1
    val lacks = loaded =/= constants || continues && !hasState
  }
  private val accepted = outcome === VdfStatus.done
  private val position = Reg(UInt(log2Up(constants + 1) bits))
  private val continues = Reg(Bool())

  val sequence = new SquaringControl(32, config.passes)
  val squarer = new Squarer(config)
  val reducer = new Reducer(config)
  val digits = Vec(Seq.fill(config.digits)(Reg(UInt(VdfConfig.digitBits bits)) init 0))
  private val takesData = state === State.Data && command.valid
  private val ends = takesData && command.last && accepted
  sequence.io.start.valid := RegNext(ends && !isLoad) init False
  sequence.io.start.squarings := parser.field.head.resize(32)
  sequence.io.start.fresh := !continues
  squarer.state := digits
  squarer.second := sequence.io.second
  squarer.complete := sequence.io.complete
  reducer.square := squarer.square
  reducer.second := sequence.io.second
  reducer.added := data
  reducer.constant.valid := RegNext(ends && isLoad) init False
  reducer.constant.payload := data
  when(sequence.io.replace)(digits := reducer.reduced)
  when(sequence.io.clear)(digits.foreach(_ := 0))
  when(takesData)(data := parser.word ## data.dropLow(64))
  when(sequence.io.replace || sequence.io.start.valid && continues)(data := 0)
  when(sequence.io.squared)(squarings := squarings + 1)

  /** The reply's words; those of a state are sums of four digits, which overlap in a bit, and a carry. */
  val answer = new Area {
    val number = Reg(UInt(log2Up(3 + stateWords) bits)) init 0
    val carry = RegInit(False)
    private val inState = number >= 3
    private val padded = digits.toSeq.padTo(4 * stateWords, U(0, VdfConfig.digitBits bits))
    private val next = reply.fire ? (number + 1) | number
    private val chosen = RegNext(Vec(padded.grouped(4).map(Vec(_)).toSeq)((next - 3).resize(log2Up(stateWords))))
    private def placed(i: Int) = (chosen(i) << VdfConfig.radix * i).resize(65)
    private val sum = ((placed(0) | placed(2)) @@ True).resize(66) + ((placed(1) | placed(3)) @@ carry).resize(66)
    private def header(wire: Command) = B(wire.reply, 32 bits) ## B(wire.replyBytes, 32 bits)
    reply.valid := state === State.Reply
    reply.last := number === (isLoad ? U(loadWire.replyBytes / 8 - 1) | U(squareWire.replyBytes / 8 - 1)).resized
    reply.keep.setAll()
    reply.data := number.mux(
      0 -> (isLoad ? header(loadWire) | header(squareWire)),
      1 -> parser.index,
      2 -> VdfStatus.code(outcome),
      default -> (accepted ? sum(64 downto 1).asBits | B(0, 64 bits))
    )
    when(reply.fire) {
      number := reply.last ? U(0) | number + 1
      carry := inState && sum.msb
    }
  }

  command.ready := False
  switch(state) {
    is(State.Index) {
      kind.assignFromBits(parser.number)
      parser.takeIndex(state := State.Fields)
    }
    is(State.Fields)(parser.takeFields(hasData = True) {
      position := fields.low.resized
      continues := fields.continues
      outcome := VdfStatus.done
      when(!isLoad && fields.lacks)(outcome := VdfStatus.missing)
      when(isLoad ? fields.loadInvalid | fields.squareInvalid)(outcome := VdfStatus.invalid)
      state := State.Data
    })
    is(State.Data) {
      command.ready := True
      when(command.valid && command.last) {
        state := (accepted && !isLoad) ? State.Run | State.Reply
        when(accepted && isLoad) {
          loaded := position + 1
          hasState := False
        }
      }
    }
    is(State.Run)(when(sequence.io.done) {
      hasState := True
      state := State.Reply
    })
    is(State.Reply)(when(reply.fire && reply.last) {
      done := done + 1
      state := State.Index
    })
  }
  when(state =/= State.Index || command.valid)(busyCycles := busyCycles + 1)
}
