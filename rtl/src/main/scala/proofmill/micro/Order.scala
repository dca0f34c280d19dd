package proofmill.micro

/** Dependences through digit registers and flags: a reader comes after the last operation that set one, and an operation that
  * sets one after its readers.
  */
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

  /** Orders conversions to canonical values one after the other; a flag is read only after its conversion. */
  def settles(operation: Operation): Unit = {
    operation.after ++= canonical ++ flagReaders
    canonical = Some(operation)
    flagReaders = Seq.empty
  }

  def readsFlag(operation: Operation): Unit = {
    operation.after ++= canonical
    flagReaders :+= operation
  }

  /** Begins a new block, after all operations of the present one. */
  def forget(): Unit = {
    setters = Map.empty
    readers = Map.empty[Int, Seq[Operation]].withDefaultValue(Seq.empty)
    canonical = None
    flagReaders = Seq.empty
  }
}
