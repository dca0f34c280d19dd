package proofmill.engine.ntt

import spinal.core._
import spinal.lib._

/** Transforms the columns of a pass, from the order of reads to the order of writes of the memory. It accepts and returns one
  * beat each cycle. Blocks enter and leave as in a [[Shuffle]].
  */
abstract class Columns(config: NttConfig, residues: Residues) extends Component {
  import config.{laneBits, lanes}
  val io = new Bundle {
    val job = in(Job(config)) // steady during a pass
    val start = in(Bool()) // pulse: the job has changed; no beat is in flight
    val entryBits = out(UInt(4 bits)) // a claimed block has 2^entryBits beats
    val claim = in(Bool()) // pulse: a block of `input` is claimed, only while `room`
    val room = out(Bool()) // level: there is space for a block
    val input = slave(Flow(Beat(residues.bits, lanes))) // beats of claimed blocks
    val nextRoom = in(Bool()) // level: the next stage has space for a beat
    val nextClaim = out(Bool()) // pulse: a block of `output` is claimed
    val output = master(Flow(Beat(residues.bits, lanes))) // transformed beats
  }
  protected val pass: Pass = io.job.pass
  protected val whole: Bool = pass.kind === PassKind.Whole
  protected val straight: Bool = PassKind.number(pass.kind) === 2

  /** A shuffle with the arrangements that `of` returns for each kind of pass and each column size `b`. */
  protected def shuffle(sizes: Range, blocks: Int)(of: (Int, Arrangement.Kind.Value, Int) => Arrangement): Shuffle = {
    val kinds = Seq(Arrangement.Kind.Whole, Arrangement.Kind.First, Arrangement.Kind.Last)
    val choices = for (kind <- kinds; b <- sizes) yield of(laneBits, kind, b)
    val made = new Shuffle(residues.bits, laneBits, choices, blocks)
    val first = (PassKind.number(pass.kind) * U(sizes.size)).resize(6)
    made.io.choice := RegNext((first + pass.b - sizes.head).resize(made.io.choice.getWidth))
    made.io.start := io.start
    made
  }

  /** Returns the number of valid beats since the start of the pass, before this one. */
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
