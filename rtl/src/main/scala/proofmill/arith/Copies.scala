package proofmill.arith

import spinal.core._

/** A register for each group of a signal's readers, all with the same content: each then has a short wire.
  *
  * Every copy is a module of its own, and carries the attribute that a vendor's tool asks for, so that no synthesis makes one of them again.
  */
object Copies {

  /** @param next what the registers take in every cycle
    * @param init what a reset makes of them; none: nothing
    */
  def apply(next: Bool, count: Int, init: Option[Boolean] = None): Vec[Bool] = Vec(Seq.fill(count) {
    val copy = new Copy(init)
    copy.next := next
    copy.now
  })

  /** The same for a number of readers, with as many registers as `timing` has for them; each reader's register. */
  def apply(next: Bool, readers: Int, timing: Timing, init: Option[Boolean]): Vec[Bool] = {
    val copies = apply(next, timing.copies min readers, init)
    Vec((0 until readers).map(i => copies(i * copies.size / readers)))
  }
  def apply(next: Bool, readers: Int, timing: Timing): Vec[Bool] = apply(next, readers, timing, None)

  /** One more register, for a reader that is to have its own. */
  def one(next: Bool, init: Boolean): Bool = apply(next, 1, Some(init)).head
}

class Copy(init: Option[Boolean]) extends Component {
  val next = in(Bool())
  val now = out(Reg(Bool()))
  init.foreach(value => now.init(Bool(value)))
  now.addAttribute("dont_touch", "yes")
  now := next
}
