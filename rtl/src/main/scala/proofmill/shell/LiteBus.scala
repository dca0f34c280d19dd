package proofmill.shell

import proofmill.engine.Engine
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi._
import spinal.lib.bus.amba4.axilite._

/** Conversion of a card's register bus from AXI4-Lite to AXI4, for the firewall and the crossing, and back. */
object LiteBus {
  val config: Axi4Config = Engine.bus(Shell.addressBits, dataBits = 32)

  def widened(lite: AxiLite4, full: Axi4, blocked: Bool): Unit = {
    for ((from, to) <- Seq[(Stream[AxiLite4Ax], Stream[_ <: Axi4Ax])](lite.ar -> full.ar, lite.aw -> full.aw)) {
      to.arbitrationFrom(from.haltWhen(blocked))
      to.addr := from.addr
      to.len := 0
      to.size := 2
      to.setBurstINCR()
    }
    full.w.arbitrationFrom(lite.w.haltWhen(blocked))
    full.w.data := lite.w.data
    full.w.strb := lite.w.strb
    full.w.last := True
    lite.r.arbitrationFrom(full.r)
    lite.r.data := full.r.data
    lite.r.resp := full.r.resp
    lite.b.arbitrationFrom(full.b)
    lite.b.resp := full.b.resp
  }

  def narrowed(full: Axi4, lite: AxiLite4): Unit = {
    for ((from, to) <- Seq[(Stream[_ <: Axi4Ax], Stream[AxiLite4Ax])](full.ar -> lite.ar, full.aw -> lite.aw)) {
      to.arbitrationFrom(from)
      to.addr := from.addr
      to.prot := 0
    }
    lite.w.arbitrationFrom(full.w)
    lite.w.data := full.w.data
    lite.w.strb := full.w.strb
    full.r.arbitrationFrom(lite.r)
    full.r.data := lite.r.data
    full.r.resp := lite.r.resp
    full.r.last := True
    full.b.arbitrationFrom(lite.b)
    full.b.resp := lite.b.resp
  }
}
