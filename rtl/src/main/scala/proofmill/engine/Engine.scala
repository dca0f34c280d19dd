package proofmill.engine

import proofmill.spec.{Block, Command}
import proofmill.stream.Word
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi.{Axi4, Axi4Config}

/** A command packet of an engine: its numbers in `spec/wire/<op>.toml`, and its length with the header. Packets with the same number differ in length. */
case class EnginePacket(wire: Command, bytes: Int)

/** The interface of an engine to the shell.
  *
  * The shell delivers only complete, well-formed command packets without their 8-byte header, so the first word is the command's index. Padding bytes of
  * the last word are undefined. The engine sends exactly one reply packet per command, with its header. The shell resets the engine through its clock
  * domain.
  */
abstract class Engine extends Component {

  /** The command packets that it accepts. */
  def commands: Seq[EnginePacket]

  /** Bit of `cmd_cap`. */
  def capability: Int

  /** Layout of its register block. */
  def block: Block

  /** Values of the block's read-only registers that never change, by name. */
  def parameters: Map[String, BigInt]

  /** Reset values of the block's read-write registers, by name. */
  def resets: Map[String, BigInt]

  /** The words of command packets, the packet's number in `commands` above them: `Word.payloads(commands.size)`. */
  val command: Stream[Fragment[Bits]]
  val reply: Stream[Fragment[Word]]

  /** Bytes of the longest packet that it sends without a command. */
  def longestUnsolicited: Int = 0

  /** Level: it is busy. Only of an engine that works without commands. */
  def working: Option[Bool] = None

  /** Slave: addresses of the register map that it implements itself. */
  def window: Option[Window] = None

  /** Masters: the memory channels that it uses, each [[Engine.memory]] with addresses of its own from 0 on.
    *
    * The engine offers a burst's address before or with its first data and does not wait for data to be accepted first. It
    * may be reset at any time: the shell completes outstanding bursts, and no response to them reaches the engine afterwards.
    */
  def memories: Seq[Axi4] = Seq.empty

  /** The number in `memories` of a channel that another engine of the card may write to. */
  def lent: Option[Int] = None

  /** Master: the channel that another engine lends, on a card with such an engine, with the addresses and rules of
    * [[memories]]; for writes only.
    */
  def borrowed: Option[Axi4] = None

  /** Outstanding bursts of a memory channel, reads and writes each: a power of two. */
  def bursts: Int = 64

  /** Outputs: the block's counters and changing read-only registers, by name, with their present values. */
  def status: Map[String, Bits]

  /** Inputs: the block's read-write registers, by name. */
  def control: Map[String, Bits]
}

object Engine {

  /** Words of command packets that every card's shell queues for an engine; the engines' `queue` register includes it. */
  val queueWords = 512

  /** Bits of a memory channel's beat. */
  val memoryBits = 512

  /** AXI4 in the cards' format: optional ids, without hints for caches and interconnects. */
  def bus(addressBits: Int, dataBits: Int, idBits: Int = 0): Axi4Config = Axi4Config(
    addressWidth = addressBits,
    dataWidth = dataBits,
    idWidth = if (idBits > 0) idBits else -1,
    useId = idBits > 0,
    useRegion = false,
    useLock = false,
    useCache = false,
    useQos = false,
    useProt = false
  )

  /** A memory channel of `2^addressBits` bytes: incrementing bursts of whole beats, with responses in order. */
  def memory(addressBits: Int): Axi4Config = bus(addressBits, memoryBits)
}
