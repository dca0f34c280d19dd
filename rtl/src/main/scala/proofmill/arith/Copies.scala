package proofmill.arith

import spinal.core._

/** Duplicated registers. Each group of a signal's readers gets a register of its own, which shortens the wires.
  *
  * Each copy is a module of its own with an attribute that prevents the vendor's synthesis from merging the copies.
  */
object Copies {

  /** Returns `count` registers with the same input.
    *
    * @param next input of the registers in every cycle
    * @param init reset value; none: no reset
    */
  def apply(next: Bool, count: Int, init: Option[Boolean] = None): Vec[Bool] = Vec(Seq.fill(count) {
    val copy = new Copy(init)
    copy.next := next
    copy.now
  })

  /** Returns the register of each reader. The number of registers is `timing.copies` or the number of readers, whichever is
    * smaller.
    */
  def apply(next: Bool, readers: Int, timing: Timing, init: Option[Boolean]): Vec[Bool] = {
    val copies = apply(next, timing.copies min readers, init)
    Vec((0 until readers).map(i => copies(i * copies.size / readers)))
  }
  def apply(next: Bool, readers: Int, timing: Timing): Vec[Bool] = apply(next, readers, timing, None)

  /** Returns one more register for a single reader. */
  def one(next: Bool, init: Boolean): Bool = apply(next, 1, Some(init)).head
}

class Copy(init: Option[Boolean]) extends Component {
  val next = in(Bool()) // the value after the next clock edge
  val now = out(Reg(Bool())) // the registered value, of this copy only
  init.foreach(value => now.init(Bool(value)))
  now.addAttribute("dont_touch", "yes")
  now := next
}
