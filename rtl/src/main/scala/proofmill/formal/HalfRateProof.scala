package proofmill.formal

import proofmill.arith.HalfRate
import spinal.core._
import spinal.lib._

/** A half-rate register outputs all parts of the payload that entered last, and accepts nothing while it is full. */
class HalfRateProof(parts: Int) extends Component with Proof {
  private class Register extends Component {
    val in = slave(Stream(Vec(Bits(1 bits), parts)))
    val out = master(Stream(Vec(Bits(1 bits), parts)))
    out << HalfRate(in)
  }
  private val dut = new Register
  val in = freeSource(dut.in)
  val out = freeSink(dut.out)

  val there = RegInit(False)
  val word = RegNextWhen(in.payload, in.fire)
  when(out.fire)(there := False)
  when(in.fire)(there := True)

  assert(!in.ready || !there, "nothing enters while a word is there")
  assert(in.ready || there, "ready while no word is there")
  assert(out.valid === there, "a word is offered from the cycle on after it has entered")
  assert(!there || out.payload.asBits === word.asBits, "the word is offered, unchanged")
  staysOffered("out", out)
}
