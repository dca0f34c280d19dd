package proofmill.engine.coprocessor

import spinal.core._
import spinal.lib._

/** Instructions on points: sums, multiples, affine forms and checks. [[ScalarSplit]] splits the scalar of a multiple while the operands are read.
  *
  * | state         | action                                                        | next                                              |
  * |:--------------|:--------------------------------------------------------------|:--------------------------------------------------|
  * | ReadScalar    | reads the scalar                                              | LoadOperands                                      |
  * | IssueMultiple | starts a multiple that can overlap others, once it is split   | Execute; if it has no split: OperatePoints, after those in flight |
  * | OperatePoints | lets [[PointUnit]] work and connects it to the ports          | WriteBack; WriteVerdict for `point_check`         |
  * | WriteVerdict  | writes the result of a check                                  | Commit                                            |
  */
class PointInstructions(core: ExecutorContext, config: CoprocessorConfig) extends Area {
  import ExecutorState._
  import core._

  val points = new PointUnit(config, slotMap)
  points.io.enable := state === OperatePoints
  points.io.operation := PointUnit.Operation.Affine
  for ((name, element) <- PointInstructions.operations) when(isOp(name))(points.io.operation := element)
  points.io.second := inG2
  points.io.location := location
  points.io.isIdentity := isIdentity
  points.io.target := target.resized
  points.io.response := io.response
  points.io.data.ready := io.data.ready
  points.io.start.ready := io.start.ready
  points.io.startContext := io.startContext
  points.io.ended := io.ended
  points.io.idle := io.idle
  points.io.outsideSubgroup := replaying

  // The scalar, registered: data memory keeps a response for one more cycle.
  private val scalarRead = False
  private val scalar = Flow(Bits(bits bits))
  scalar.valid := RegNext(scalarRead, init = False)
  scalar.payload := io.response.value
  points.io.scalar << scalar
  val split = new ScalarSplit(bits)
  split.io.start << scalar
  split.io.second := inG2
  points.io.splitBusy := split.io.busy
  points.io.splitFits := split.io.fits

  // Table entries of multiples and lines. They begin a cycle after the program, long before it reads the first entry.
  private val programs =
    Seq("g1_multiply", "g2_multiply", "miller_lines").map(name => io.start.program === pairing.program(name))
  val entries = new TableEntries(pairing.contexts)
  entries.io.begin.valid := RegNext(io.start.fire && programs.reduce(_ || _), init = False)
  entries.io.begin.context := RegNext(io.startContext)
  entries.io.begin.second := RegNext(programs(1))
  entries.io.begin.lines := RegNext(programs(2))
  entries.io.begin.parts := split.io.parts
  entries.io.entryContext := io.entryContext
  entries.io.entryRead := io.entryRead
  io.entries := entries.io.entries

  def states(): Unit = {
    is(ReadScalar) {
      data(DataOperation.ReadInteger, operands(0))
      when(io.data.ready) {
        scalarRead := True
        state := LoadOperands
      }
    }
    is(IssueMultiple) {
      val table = slotMap.overlapped(inFlight.io.nextTable, 0)
      io.start.operands :=
        Vec(table, table, slotMap.overlapped(inFlight.io.nextTable, PointUnit.upper), location(1))
      io.start.program := inG2 ? program("g2_multiply") | program("g1_multiply")
      when(isIdentity(1) || !split.io.busy && !split.io.fits) {
        state := inFlight.io.any ? Fetch | OperatePoints
      } elsewhen (!split.io.busy)(run(Execute))
    }
    is(OperatePoints) {
      io.data.valid := points.io.data.valid
      io.data.payload := points.io.data.payload
      io.start.valid := points.io.start.valid
      io.start.payload := points.io.start.payload
      value := points.io.verdict.resized
      when(points.io.done)(state := isOp("point_check") ? WriteVerdict | WriteBack)
    }
    is(WriteVerdict) {
      data(DataOperation.WriteInteger, operands(1))
      io.data.slotType := InstructionSet.typeNumber("scalar")
      when(io.data.ready)(state := Commit)
    }
  }
}

object PointInstructions {

  /** What [[PointUnit]] does for an instruction. */
  private val operations = Seq(
    "point_affine" -> PointUnit.Operation.Affine,
    "point_add" -> PointUnit.Operation.Add,
    "point_mult" -> PointUnit.Operation.Multiply,
    "point_check" -> PointUnit.Operation.Check
  )
  val names: Seq[String] = operations.map(_._1)
}
