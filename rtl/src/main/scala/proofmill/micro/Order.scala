package proofmill.micro

/** Order that registers do not tell, of digit registers and flags: who reads one comes after the last operation that set it, and who sets it after its readers. */
class Order {
  private var setters = Map.empty[Int, Operation]
  private var readers = Map.empty[Int, Seq[Operation]].withDefaultValue(Seq.empty)
  private var canonical = Option.empty[Operation]
  private var flagReaders = Seq.empty[Operation]

  def setsDigit(register: Int, operation: Operation): Unit = {
    operation.after ++= readers(register) ++ setters.get(register)
    setters += register -> operation
    readers += register -> Seq.empty
  }

  def readsDigit(register: Int, operation: Operation): Unit = {
    operation.after ++= setters.get(register)
    readers += register -> (readers(register) :+ operation)
  }

  /** Canonical values are made one after the other; flags are read only when theirs is there. */
  def settles(operation: Operation): Unit = {
    operation.after ++= canonical ++ flagReaders
    canonical = Some(operation)
    flagReaders = Seq.empty
  }

  def readsFlag(operation: Operation): Unit = {
    operation.after ++= canonical
    flagReaders :+= operation
  }

  /** Another block begins, behind all of this one. */
  def forget(): Unit = {
    setters = Map.empty
    readers = Map.empty[Int, Seq[Operation]].withDefaultValue(Seq.empty)
    canonical = None
    flagReaders = Seq.empty
  }
}
