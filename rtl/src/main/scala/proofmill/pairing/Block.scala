package proofmill.pairing

/** The transfer of control at the end of a block. */
sealed abstract class Exit
object Exit {
  case class To(routine: String, times: Int) extends Exit
  case class Call(routine: String, times: Int) extends Exit
  case object Loop extends Exit
  case object Return extends Exit
  case object Await extends Exit
  case object End extends Exit
}

/** A basic block: statements that are executed in sequence, and its exit. */
case class Block(routine: String, index: Int, statements: Seq[Source.Statement], exit: Exit)

object Block {

  /** Splits a routine into blocks. A new block begins after a call and after a wait for the inverse. */
  def of(routine: Source.Routine): Seq[Block] = {
    val last = routine.kind match {
      case Source.Entry => Exit.End
      case Source.Loop  => Exit.Loop
      case Source.Once  => Exit.Return
    }
    val (done, rest) =
      routine.statements.foldLeft((Seq.empty[(Seq[Source.Statement], Exit)], Seq.empty[Source.Statement])) {
        case ((done, now), Source.Call(name, times)) => (done :+ (now -> Exit.Call(name, times)), Seq.empty)
        case ((done, now), Source.Await)             => (done :+ (now -> Exit.Await), Seq.empty)
        case ((done, now), other)                    => (done, now :+ other)
      }
    require(last != Exit.Loop || done.isEmpty, s"${routine.name}: a loop contains no calls")
    val all = (done.lastOption, rest) match {
      case (Some((before, Exit.Call(name, times))), Seq()) if last == Exit.Return =>
        done.init :+ (before -> Exit.To(name, times))
      case _ => done :+ (rest -> last)
    }
    all.zipWithIndex.map { case ((statements, exit), i) => Block(routine.name, i, statements, exit) }
  }

  /** Returns the possible successors of each block. */
  def successors(blocks: Seq[Block]): Map[Block, Seq[Block]] = {
    val first = blocks.filter(_.index == 0).map(b => b.routine -> b).toMap
    def next(block: Block) = blocks.find(b => b.routine == block.routine && b.index == block.index + 1).toSeq
    def returns(routine: String): Seq[Block] = blocks.flatMap { b =>
      b.exit match {
        case Exit.Call(`routine`, _) => next(b)
        case Exit.To(`routine`, _)   => returns(b.routine)
        case _                       => Seq.empty
      }
    }
    blocks.map { b =>
      b -> (b.exit match {
        case Exit.To(routine, _)   => Seq(first(routine))
        case Exit.Call(routine, _) => Seq(first(routine))
        case Exit.Loop             => b +: returns(b.routine)
        case Exit.Return           => returns(b.routine)
        case Exit.Await            => next(b)
        case Exit.End              => Seq.empty
      })
    }.toMap
  }
}
