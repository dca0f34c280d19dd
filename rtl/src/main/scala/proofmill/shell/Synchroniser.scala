package proofmill.shell

import spinal.core._

/** Synchronises bits of another clock domain: two consecutive registers, placed together and marked for the vendor's tools by
  * `ASYNC_REG`.
  *
  * At most one of several bits may change at a time (Gray code).
  */
class Synchroniser(bits: Int, reset: BigInt) extends Component {
  val foreign = in(Bits(bits bits)) // bits of the other clock domain; at most one changes at a time
  val first, settled = Reg(Bits(bits bits)) init reset
  val here = out(Bits(bits bits)) // the same bits in this clock domain, two cycles later

  first.addTag(crossClockDomain)
  first := foreign
  settled := first
  here := settled
  Seq(first, settled).foreach(_.addAttribute("ASYNC_REG", "TRUE"))
}

object Synchroniser {

  /** Returns a level of another clock domain, two cycles late; `reset` until then. */
  def apply(level: Bool, reset: Boolean): Bool = {
    val made = new Synchroniser(1, if (reset) 1 else 0)
    made.foreign := level.asBits
    made.here(0)
  }

  /** Synchronises a count in Gray code; returns its synchroniser. */
  def gray(count: Bits): Synchroniser = {
    val made = new Synchroniser(count.getWidth, 0)
    made.foreign := count
    made
  }
}
