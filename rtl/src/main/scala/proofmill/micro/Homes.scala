package proofmill.micro

/** Allocates registers of the variables that a loop assigns: before, in and after the loop each variable is in one register,
  * its home.
  */
class Homes(emission: Emission) {
  import emission._

  /** Returns the value of a variable in a register that no other variable shares. */
  def own(value: Value, shared: Boolean, inSums: Boolean): Value =
    if (!shared && value.element.isEmpty && (value.bank == Value.sums || !inSums)) value else copy(value)

  /** Writes `last` to the register of `home` at the end of a block. Returns the operation that writes it, or none if no
    * operation is needed; Left if the register is in the wrong bank.
    */
  def bring(home: Value, last: Value): Either[Unit, Option[Operation]] =
    if (last eq home) Right(None)
    else {
      val maker = open.operations.find(_.result.contains(last)).filter { op =>
        last.bank == home.bank && last.web == last && readers(home, op).forall(reader => !open.depends(reader, op))
      }
      maker match {
        case Some(op) =>
          last.join(home)
          Right(Some(op))
        case None if home.bank == Value.sums =>
          copy(last).join(home)
          Right(open.operations.lastOption)
        case None => Left(())
      }
    }

  private def readers(home: Value, except: Operation): Seq[Operation] =
    open.operations.filter(op => op.reads.contains(home) && op != except)

  /** Orders the readers of a variable's old value before the operation that writes its new value. */
  def keepOrder(home: Value, writer: Option[Operation]): Unit = for (op <- writer) {
    op.after ++= readers(home, op)
    require(!op.after.exists(open.depends(_, op)), "two variables of a loop exchange their values")
  }
}
