package proofmill.engine.ntt

import spinal.core._
import spinal.lib._

/** Transforms a pass's columns, from the order in which the memory has them to the order in which it takes them; a beat in and a beat out a
  * cycle. It is filled and emptied like a [[Shuffle]], block by block.
  */
abstract class Columns(config: NttConfig, residues: Residues) extends Component {
  import config.{laneBits, lanes}
  val io = new Bundle {
    val job = in(Job(config)) // steady
    val start = in(Bool()) // the job has changed: nothing is inside
    val entryBits = out(UInt(4 bits)) // a block that is claimed has 2^entryBits beats
    val claim = in(Bool())
    val room = out(Bool())
    val input = slave(Flow(Beat(residues.bits, lanes)))
    val nextRoom = in(Bool()) // for a beat
    val nextClaim = out(Bool())
    val output = master(Flow(Beat(residues.bits, lanes)))
  }
  protected val pass: Pass = io.job.pass
  protected val whole: Bool = pass.kind === PassKind.Whole
  protected val straight: Bool = PassKind.number(pass.kind) === 2

  /** One that does, in a pass of a kind and of columns of size `b`, what `of` says. */
  protected def shuffle(sizes: Range, blocks: Int)(of: (Int, Arrangement.Kind.Value, Int) => Arrangement): Shuffle = {
    val kinds = Seq(Arrangement.Kind.Whole, Arrangement.Kind.First, Arrangement.Kind.Last)
    val choices = for (kind <- kinds; b <- sizes) yield of(laneBits, kind, b)
    val made = new Shuffle(residues.bits, laneBits, choices, blocks)
    val first = (PassKind.number(pass.kind) * U(sizes.size)).resize(6)
    made.io.choice := RegNext((first + pass.b - sizes.head).resize(made.io.choice.getWidth))
    made.io.start := io.start
    made
  }

  /** How many beats were valid before this one, from the start on. */
  protected def counted(valid: Bool): UInt = {
    val count = Reg(UInt(NttConfig.passBits bits)) init 0
    when(valid)(count := count + 1)
    when(io.start)(count := 0)
    count
  }
}

object Columns {
  def apply(config: NttConfig, residues: Residues): Columns = residues match {
    case quads: QuadResidues => new ShiftColumns(config, quads)
    case long: LongResidues  => new Steps(config, long)
  }
}
