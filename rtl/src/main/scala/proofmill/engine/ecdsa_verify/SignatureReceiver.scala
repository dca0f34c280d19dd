package proofmill.engine.ecdsa_verify

import proofmill.arith.Below
import proofmill.spec.Curve
import proofmill.stream.{Port, StreamUnit}
import spinal.core._
import spinal.lib._

/** A command, with the results of the range checks. */
case class Signature() extends Bundle {
  val index = Bits(64 bits)
  val s, r, z, qx, qy = Bits(SignatureReceiver.bits bits)
  val badR = Bool() // not in [1, n-1]
  val badS = Bool()
  val badKey = Bool() // a coordinate that is not below p
  val below = Bool() // r + n < p: two integers below p are r modulo n
  def bad: Bool = badR || badS || badKey
}

/** Receives the words of a command: its index, then s, r, z, qx, qy, lowest word first; and checks the ranges of the numbers on the way in.
  *
  * Accepts a word per cycle. The signature is valid in the cycle after its last word; until it is accepted, no other word is.
  */
class SignatureReceiver(curve: Curve) extends StreamUnit {
  import SignatureReceiver._
  private val n = curve.scalarField.modulus
  private val p = curve.baseField.modulus
  require(p.bitLength <= bits && n.bitLength <= bits && n < p, s"${curve.name}: its numbers have more than $bits bits")
  def operands: Seq[Port] = Seq(Port("word", wordBits))
  def results: Seq[Port] = Signature().elements.map { case (name, part) => Port(name, part.getBitsWidth) }.toSeq
  def latency: Option[Int] = None

  val signature = Reg(Signature())
  val full = RegInit(False)
  val number = Reg(UInt(log2Up(fields) bits)) init 0 // of the current number, after the index
  val place = Reg(UInt(log2Up(places) bits)) init 0 // of its word
  val inside = RegInit(False) // after the index
  private val word = io.in.payload
  private val first = place === 0
  private val last = place.andR

  // Whether the number, as far as it was received, is below a constant.
  private val Seq(belowN, belowP, belowRest) = Seq(n, p, p - n).map(Below(_, word, place, io.in.fire))
  private val some = Bool()
  some := word.orR || (RegNextWhen(some, io.in.fire) && !first)
  private val scalar = belowN && some

  // The numbers are shifted in from the top, a word at a time.
  private val numbers = Seq(signature.s, signature.r, signature.z, signature.qx, signature.qy)
  io.in.ready := !full
  when(io.in.fire) {
    when(!inside) {
      signature.index := word
      inside := True
    } otherwise {
      val held = Cat(numbers)
      for ((number, moved) <- numbers.zip((word ## held.dropLow(wordBits)).subdivideIn(fields slices))) number := moved
      place := place + 1
      when(last) {
        number := number + 1
        switch(number) {
          is(0)(signature.badS := !scalar)
          is(1) {
            signature.badR := !scalar
            signature.below := belowRest
          }
          is(3)(signature.badKey := !belowP)
          is(4) {
            when(!belowP)(signature.badKey := True)
            number := 0
            inside := False
            full := True
          }
        }
      }
    }
  }
  io.out.valid := full
  io.out.payload := signature.asBits
  when(io.out.fire)(full := False)
}

object SignatureReceiver {

  /** Bits of a word of the stream, of a number; words of a number; numbers. */
  val wordBits = 64
  val bits = 256
  val places: Int = bits / wordBits
  val fields = 5
}
