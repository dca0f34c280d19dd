package proofmill.engine.ecdsa_verify

import proofmill.arith.Price
import proofmill.engine.{Engine, EnginePacket}
import proofmill.field.{Arithmetic, Options}
import proofmill.spec.{Block, Command, Curve, Spec}
import proofmill.stream.Word
import spinal.core._
import spinal.lib._

/** @param cores    number of [[Verifier]]s: multipliers, each with contexts and a unit for scalars of its own
  * @param contexts maximum number of signatures in flight in a core, a power of two
  */
case class EcdsaConfig(cores: Int, contexts: Int = 16)

/** The data of a signature for its reply. */
case class Pending() extends Bundle {
  val index = Bits(64 bits)
  val arrival = UInt(32 bits) // of its last word
  val badR, badS, badKey, below = Bool() // as in Signature
}

/** Verifies ECDSA signatures on secp256k1.
  *
  * {{{
  *  command ─► SignatureReceiver ┬─► Verifier (several, round robin) ─┬─► mask ─► reply
  *                               └─► pending (index, time) ───────────┘
  * }}}
  *
  * Signatures retire in the order of the commands.
  */
class EcdsaEngine(config: EcdsaConfig) extends Engine {
  private val table = Spec.table("wire/ecdsa_verify")
  private val curve = Curve(table.getTable("curve").getString("name"))
  private val inside = config.cores * config.contexts
  private val countBits = 16 // of cycle_cnt

  private val wire = Command(table)
  private val commandBytes = Spec.int(table.getTable("command"), "len")
  val commands = Seq(EnginePacket(wire, commandBytes))
  val capability: Int = Spec.int(Spec.table("wire/shell").getTable("capabilities"), s"ecdsa_${curve.name}")
  val block: Block = Block(table)
  val parameters: Map[String, BigInt] = Map(
    "command_len" -> commandBytes,
    "queue" -> (inside + 1 + Engine.queueWords / (commandBytes / 8)),
    "cores" -> config.cores,
    "contexts" -> config.contexts
  ).map { case (name, value) => name -> BigInt(value) }
  val resets: Map[String, BigInt] = Map.empty

  val command = slave(Word.payload) // words of command packets: a signature's index, then its data
  val reply = master(Word.packets) // one packet per signature, in the commands' order: index, error mask, cycles
  val done, busyCycles = out(Reg(UInt(64 bits)) init 0) // counters: replies; cycles with a signature in flight
  val lastLatency = out(Reg(UInt(32 bits)) init 0) // cycles of the last signature, last command word to verdict
  def status: Map[String, Bits] =
    Map("done" -> done.asBits, "busy_cycles" -> busyCycles.asBits, "last_latency" -> lastLatency.asBits)
  def control: Map[String, Bits] = Map.empty

  val intake = new SignatureReceiver(curve)
  val cores = {
    val arithmetic = Arithmetic(curve.baseField, Options(Price.early))
    val programs = new EcdsaPrograms(curve)
    val image = programs.image(arithmetic)
    Seq.fill(config.cores)(new Verifier(programs, arithmetic, image, ScalarPlan(curve.name), config.contexts))
  }
  val pending = StreamFifo(Pending(), inside)
  val clock = Reg(UInt(32 bits)) init 0
  clock := clock + 1

  /** Distributes signatures to the cores, round robin. */
  val distribution = new Area {
    intake.io.in << command.translateWith(command.fragment)
    val arrival = RegNextWhen(clock, command.fire && command.last)
    val signature = Signature()
    signature.assignFromBits(intake.io.out.payload)
    val turn = Counter(config.cores, intake.io.out.fire)
    // Registered: a signature has several words, so the queue's ready may be one cycle late.
    val keeps = RegNext(pending.io.push.ready) init False
    val room = Vec(cores.map(_.io.in.ready))(turn) && keeps
    intake.io.out.ready := room
    for ((core, i) <- cores.zipWithIndex) {
      core.io.in.valid := intake.io.out.valid && keeps && turn === i
      core.io.in.payload := signature
    }
    pending.io.push.valid := intake.io.out.fire
    pending.io.push.index := signature.index
    pending.io.push.arrival := arrival
    pending.io.push.badR := signature.badR
    pending.io.push.badS := signature.badS
    pending.io.push.badKey := signature.badKey
    pending.io.push.below := signature.below
  }

  /** Collects the verdicts in the same order, and replies. */
  val collection = new Area {
    val turn = Counter(config.cores)
    val verdict = Vec(cores.map(_.io.out.payload))(turn)
    val signature = pending.io.pop.payload
    val latency = clock - signature.arrival

    val result = Stream(Bits(64 + 8 + countBits bits))
    result.valid := Vec(cores.map(_.io.out.valid))(turn)
    for ((core, i) <- cores.zipWithIndex) core.io.out.ready := result.ready && turn === i
    pending.io.pop.ready := result.fire
    result.payload := saturated(latency) ## mask(signature, verdict) ## signature.index
    when(result.fire) {
      turn.increment()
      done := done + 1
      lastLatency := latency
    }

    val held = result.m2sPipe()
    val word = Reg(UInt(2 bits)) init 0
    reply.valid := held.valid
    reply.last := word === 2
    reply.data := word.mux(
      0 -> B(wire.reply, 32 bits) ## B(wire.replyBytes, 32 bits),
      1 -> held.payload.takeLow(64),
      default -> held.payload.dropLow(64).resize(64)
    )
    reply.keep := (word === 2) ? B(Word.keepOf(wire.replyBytes), 8 bits) | B(0xff, 8 bits)
    held.ready := reply.ready && reply.last
    when(reply.fire)(word := reply.last ? U(0) | word + 1)
  }

  when(intake.io.out.valid || pending.io.occupancy =/= 0)(busyCycles := busyCycles + 1)

  private def saturated(cycles: UInt): Bits =
    (cycles >= (1 << countBits)) ? B(countBits bits, default -> True) | cycles.resize(countBits).asBits

  /** The error bits: of ranges, then of the curve's equation, then of the sum. */
  private def mask(signature: Pending, verdict: Verdict): Bits = {
    val errors = table.getTable("errors")
    val badRange = signature.badR || signature.badS || signature.badKey
    val offCurve = !badRange && !verdict.onCurve
    val identity = !badRange && verdict.onCurve && verdict.identity
    val matches = verdict.isR || (verdict.isRPlusN && signature.below)
    val set = Map(
      "out_of_range_r" -> signature.badR,
      "out_of_range_s" -> signature.badS,
      "x_infinity_point" -> identity,
      "failed_sig_ver" -> (badRange || offCurve || identity || !matches),
      "invalid_key" -> (signature.badKey || offCurve)
    ).map { case (name, bit) => Spec.int(errors.getTable(name), "bit") -> bit }
    Cat((0 until 8).map(set.getOrElse(_, False)))
  }
}
