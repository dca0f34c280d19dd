package proofmill.engine

import proofmill.spec.{Block, Command}
import proofmill.stream.Word
import spinal.core._
import spinal.lib._

/** What every engine shows to the shell, and nothing else.
  *
  * The shell hands over only whole, well-formed command packets of exactly `commandBytes`; the 8-byte packet header is
  * already gone, so the first word is the command's index. Padding bytes of the last word are undefined. The engine answers each
  * with exactly one reply packet, its header included. The shell resets the engine through its clock domain.
  */
abstract class Engine extends Component {

  /** Command number and reply of `spec/wire/<op>.toml`. */
  def wire: Command

  /** Length of its command packet, header included. Commands with the same number are told apart by it. */
  def commandBytes: Int

  /** Bit of `cmd_cap`. */
  def capability: Int

  /** Layout of its register block. */
  def block: Block

  /** Values of the block's read-only registers that never change, by name. */
  def parameters: Map[String, BigInt]

  /** Reset values of the block's read-write registers, by name. */
  def resets: Map[String, BigInt]

  val command: Stream[Fragment[Bits]]
  val reply: Stream[Fragment[Word]]

  /** Outputs: the block's counters and changing read-only registers, by name. A counter's value here is its present count. */
  def status: Map[String, Bits]

  /** Inputs: the block's read-write registers, by name. */
  def control: Map[String, Bits]
}

object Engine {

  /** Words of command packets that every card's shell keeps for an engine; the engines' `queue` register counts on it. */
  val queueWords = 512
}
