package proofmill.formal

import java.nio.file.{Files, Paths}

import proofmill.Design
import proofmill.shell.EngineCommand
import spinal.core._

/** `proofmill.formal.GenerateProofs DIR`: each proof as `<name>.sv`, a module of that name. */
object GenerateProofs {
  private val commands = Seq(EngineCommand(0x100, 17), EngineCommand(0x100, 32), EngineCommand(0x101, 32))

  private val proofs: Seq[(String, () => Component)] = Seq(
    "packet_fifo" -> (() => new PacketFifoProof(depth = 4)),
    "packet_arbiter" -> (() => new PacketArbiterProof(ports = 3)),
    "rx_framer" -> (() => new RxFramerProof(commands)),
    "serial_framer" -> (() => new SerialFramerProof(longest = 30)),
    "control_unit" -> (() => new ControlUnitProof(resetCycles = 3)),
    "async_fifo" -> (() => new AsyncFifoProof(depth = 4)),
    "axi_crossing" -> (() => new AxiCrossingProof(depth = 2)),
    "firewall" -> (() => new FirewallProof(bursts = 2, longest = 2, patience = 2)),
    "memory_share" -> (() => new MemoryShareProof(bursts = 2)),
    "memory_guard" -> (() => new MemoryGuardProof(bursts = 2, longest = 2)),
    "reset_sequencer" -> (() => new ResetSequencerProof(lead = 4, hold = 4)),
    "axi_lite_door" -> (() => new AxiLiteDoorProof(addressBits = 4)),
    "register_map" -> (() => new RegisterMapProof),
    "shell" -> (() => new ShellProof),
    "ntt_read_walk" -> (() => new NttWalkProof(written = false, mostB = 0)),
    "ntt_write_walk" -> (() => new NttWalkProof(written = true, mostB = 0)),
    "ntt_exchange" -> (() => new NttExchangeProof(laneBits = 2, lane = 1, bit = 1)),
    "msm_core" -> (() => new MsmCoreProof(bucketBits = 2, latency = 1))
  )

  def main(arguments: Array[String]): Unit = {
    val folder = Paths.get(arguments.head)
    Files.createDirectories(folder)
    val config = Design
      .config(folder.toString)
      .copy(mode = SystemVerilog, defaultConfigForClockDomains = ClockDomainConfig(resetKind = BOOT))
      .includeFormal
    for ((name, proof) <- proofs) config.generateSystemVerilog(proof().setDefinitionName(name))
  }
}
