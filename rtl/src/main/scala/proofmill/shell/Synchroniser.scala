package proofmill.shell

import spinal.core._

/** Brings bits of another clock to this one: two registers in a row, kept together and marked for the vendor's tools by `ASYNC_REG`.
  *
  * Of several bits at most one may change at a time (Gray code).
  */
class Synchroniser(bits: Int, reset: BigInt) extends Component {
  val foreign = in(Bits(bits bits))
  val first, settled = Reg(Bits(bits bits)) init reset
  val here = out(Bits(bits bits))

  first.addTag(crossClockDomain)
  first := foreign
  settled := first
  here := settled
  Seq(first, settled).foreach(_.addAttribute("ASYNC_REG", "TRUE"))
}

object Synchroniser {

  /** A level of another clock, two cycles late; `reset` until then. */
  def apply(level: Bool, reset: Boolean): Bool = {
    val made = new Synchroniser(1, if (reset) 1 else 0)
    made.foreign := level.asBits
    made.here(0)
  }

  /** A count in Gray code, and its synchroniser. */
  def gray(count: Bits): Synchroniser = {
    val made = new Synchroniser(count.getWidth, 0)
    made.foreign := count
    made
  }
}
