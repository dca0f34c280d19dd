package proofmill.shell

import proofmill.spec.{Block, Register}
import spinal.core._

/** Adds a self-describing block to the register map: header words, then its registers by name. */
object BlockMap {

  /** @param base    byte address of the block
    * @param next    byte address of the next one, 0 for none
    * @param known   values of read-only registers that never change
    * @param status  counters, read-only registers that change, and registers whose writes have another meaning
    * @param control gives for a read-write register its width in use and its reset value
    * @return the read-write registers by name
    */
  def apply(
      map: RegisterMap,
      base: Int,
      next: Int,
      block: Block,
      known: Map[String, BigInt],
      status: Map[String, Bits],
      control: Map[String, (Int, BigInt)]
  ): Map[String, Bits] = {
    val size = block.registers.map(r => r.offset + r.bits / 8).max
    for ((value, i) <- Seq(block.kind, block.version, next, size).zipWithIndex) map.constant(base + 4 * i, value)

    block.registers.flatMap { register =>
      val address = base + register.offset
      def missing = sys.error(f"block 0x${block.kind}%04x: nobody gives register ${register.name}")
      register.access match {
        case Register.ReadOnly if known.contains(register.name) =>
          map.constant(address, known(register.name), register.bits)
          None
        case Register.ReadOnly =>
          map.readOnly(address, status.getOrElse(register.name, missing).resize(register.bits bits))
          None
        case Register.Counter =>
          map.counter(address, status.getOrElse(register.name, missing))
          None
        case Register.ReadWrite if status.contains(register.name) => // the owner of the status handles writes, too
          map.readOnly(address, status(register.name).resize(register.bits bits))
          None
        case Register.ReadWrite =>
          val (used, reset) = control.getOrElse(register.name, missing)
          require(used <= register.bits, s"register ${register.name}: $used bits used of ${register.bits}")
          Some(register.name -> map.readWrite(address, register.bits, used, reset).setName(
            f"block_$base%04x_${register.name}"
          ))
      }
    }.toMap
  }
}
