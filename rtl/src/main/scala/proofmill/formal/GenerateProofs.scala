package proofmill.formal

import java.nio.file.{Files, Paths}

import proofmill.Design
import proofmill.arith.Bound
import proofmill.engine.ntt.NttConfig
import proofmill.field.Arithmetic
import proofmill.shell.EngineCommand
import proofmill.spec.Field
import proofmill.stream.Port
import spinal.core._

/** `proofmill.formal.GenerateProofs DIR`: each proof as `<name>.sv`, a module of that name. */
object GenerateProofs {
  private val commands = Seq(EngineCommand(0x100, 17), EngineCommand(0x100, 32), EngineCommand(0x101, 32))

  private val goldilocks = NttConfig(lanes = 8, mostLog = 12, memoryBits = 13)
  private val long = NttConfig("bn254_fr", lanes = 4, mostLog = 12, passLog = 4, memoryBits = 12)
  private def walk(config: NttConfig, written: Boolean, sizes: Range, others: Range) =
    new NttWalkProof(config, written, sizes, others)

  private val proofs: Seq[(String, () => Component with Proof)] = Seq(
    "packet_fifo" -> (() => new PacketFifoProof(depth = 4)),
    "half_rate" -> (() => new HalfRateProof(parts = 6)),
    "packet_arbiter" -> (() => new PacketArbiterProof(ports = 3)),
    "rx_framer" -> (() => new RxFramerProof(commands)),
    "serial_framer" -> (() => new SerialFramerProof(longest = 30)),
    "control_unit" -> (() => new ControlUnitProof(resetCycles = 3)),
    "async_fifo" -> (() => new AsyncFifoProof(depth = 4)),
    "axi_crossing" -> (() => new AxiCrossingProof(depth = 2)),
    "firewall" -> (() => new FirewallProof(bursts = 2, longest = 2, patience = 2)),
    "memory_share" -> (() => new MemoryShareProof(bursts = 2)),
    "slot_intake" -> (() => new SlotReceiverProof),
    "memory_stripe_map" -> (() => new MemoryStripeMapProof),
    "memory_stripe_reads" -> (() => new MemoryStripeReadProof(bursts = 2)),
    "memory_stripe_writes" -> (() => new MemoryStripeWriteProof(bursts = 2)),
    "memory_guard" -> (() => new MemoryGuardProof(bursts = 2, longest = 2)),
    "reset_sequencer" -> (() => new ResetSequencerProof(lead = 4, hold = 4)),
    "axi_lite_door" -> (() => new AxiLitePortProof(addressBits = 4)),
    "register_map" -> (() => new RegisterMapProof),
    "shell" -> (() => new ShellProof),
    "ntt_read_walk" -> (() => walk(goldilocks, written = false, sizes = 0 to 0, others = 3 to 3)),
    "ntt_write_walk" -> (() => walk(goldilocks, written = true, sizes = 0 to 0, others = 3 to 3)),
    "ntt_long_read_walk" -> (() => walk(long, written = false, sizes = 1 to 3, others = 2 to 4)),
    "ntt_long_write_walk" -> (() => walk(long, written = true, sizes = 1 to 3, others = 2 to 4)),
    "ntt_shuffle" -> (() => new NttShuffleProof(laneBits = 2, NttShuffleProof.arrangements(2, bits = 4), blocks = 2)),
    "ntt_exchange" -> (() => new NttExchangeProof(laneBits = 2, lane = 1, bit = 1)),
    "micro_context" -> (() => new MicroContextProof(addressBits = 3)),
    "micro_choice" -> (() => new MicroChoiceProof(contexts = 8)),
    "candidate_flags" -> (() => new CandidateFlagsProof(bucketBits = 2, others = 2)),
    "batch_buckets" -> (() => new BatchBucketProof(bucketBits = 2, interval = 1, length = 20)),
    "batch_buckets_g2" -> (() => new BatchBucketProof(bucketBits = 2, interval = 3, length = 20)),
    "squaring_control" -> (() => new SquaringControlProof(passes = 1)),
    "squaring_control_two" -> (() => new SquaringControlProof(passes = 2)),
    "solver_partition" -> (() => new PartitionProof(length = 28)),
    "solver_pairs" -> (() => new BucketPairsProof(length = 24)),
    "in_flight_table" -> (() => new InFlightTableProof(contexts = 4, log2 = 3, tables = 2)),
    "sum" -> (() => new SumProof(Seq(1, -1, 3, -4, 1).map(weight => (Bound.signed(6), BigInt(weight))))),
    "sum_of_three" -> (() => new SumProof(Seq.fill(3)((Bound.signed(258), BigInt(1))))),
    "long_sum" -> (() => new SumProof(Seq.fill(2)((Bound.signed(520), BigInt(1))))),
    "constant_table" -> (() => new ConstantTableProof(words(32, bits = 60), Bound.signed(60))),
    "carry_select" -> (() => new CarrySelectProof(width = 60, part = 16)),
    "divide" -> (() => new DivideProof(bits = 24, z = 4091)),
    "canonical" -> (() => new CanonicalProof(toy.port("a", toy.product))),
    "canonical_of_digits" -> (() =>
      new CanonicalProof(Port("a", 5, digits = 3, field = Some(toy.field.name), base = -12, low = -9, high = 9))
    ),
    "quotients" -> (() => new QuotientsProof(n = 13, within = 26))
  )

  private lazy val toy = Arithmetic(Field("toy_fp"))

  /** Pseudo-random signed numbers from a fixed seed. */
  private def words(count: Int, bits: Int): Seq[BigInt] = {
    val random = new scala.util.Random(1)
    Seq.fill(count)(BigInt(bits, random) - (BigInt(1) << (bits - 1)))
  }

  /** Writes each proof as a file; its first line has the number of cycles, if the proof is bounded. */
  def main(arguments: Array[String]): Unit = {
    val folder = Paths.get(arguments.head)
    Files.createDirectories(folder)
    val config = Design
      .config(folder.toString)
      .copy(mode = SystemVerilog, defaultConfigForClockDomains = ClockDomainConfig(resetKind = BOOT))
      .includeFormal
    for ((name, proof) <- proofs) {
      val made = config.generateSystemVerilog(proof().setDefinitionName(name)).toplevel
      val file = folder.resolve(s"$name.sv")
      for (cycles <- made.cycles) Files.writeString(file, s"// cycles: $cycles\n${Files.readString(file)}")
    }
  }
}
